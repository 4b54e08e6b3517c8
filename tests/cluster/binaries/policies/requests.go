package main

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/client-go/kubernetes/scheme"
)

const nameLabel = "kubernetes.io/metadata.name"

// request is an admission request with what the API server would look up for it.
type request struct {
	Operation       string         `json:"operation"` // CREATE unless there is an oldObject
	Object          map[string]any `json:"object"`
	OldObject       map[string]any `json:"oldObject"`
	Name            string         `json:"name"`
	Namespace       string         `json:"namespace"`
	Resource        string         `json:"resource"` // guessed from the kind if empty
	Subresource     string         `json:"subresource"`
	DryRun          bool           `json:"dryRun"`
	Options         map[string]any `json:"options"`
	UserInfo        userInfo       `json:"userInfo"`
	NamespaceObject map[string]any `json:"namespaceObject"`
	Params          map[string]any `json:"params"`
}

type userInfo struct {
	Username string              `json:"username"`
	UID      string              `json:"uid"`
	Groups   []string            `json:"groups"`
	Extra    map[string][]string `json:"extra"`
}

// decoded returns an object as the API server holds it: typed if the kind is built in.
func decoded(object map[string]any) (runtime.Object, error) {
	unknown := &unstructured.Unstructured{Object: object}
	kind := unknown.GroupVersionKind()
	if !scheme.Scheme.Recognizes(kind) {
		return unknown, nil
	}
	known, err := scheme.Scheme.New(kind)
	if err != nil {
		return nil, err
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object, known); err != nil {
		return nil, fmt.Errorf("%s %q: %w", kind.Kind, unknown.GetName(), err)
	}
	known.GetObjectKind().SetGroupVersionKind(kind)
	return known, nil
}

func (r request) subject() *unstructured.Unstructured {
	if r.Object != nil {
		return &unstructured.Unstructured{Object: r.Object}
	}
	return &unstructured.Unstructured{Object: r.OldObject}
}

func (r request) kind() schema.GroupVersionKind { return r.subject().GroupVersionKind() }

func (r request) resource() schema.GroupVersionResource {
	plural, _ := meta.UnsafeGuessKindToResource(r.kind())
	if r.Resource != "" {
		plural.Resource = r.Resource
	}
	return plural
}

func (r request) gvk() metav1.GroupVersionKind     { return metav1.GroupVersionKind(r.kind()) }
func (r request) gvr() metav1.GroupVersionResource { return metav1.GroupVersionResource(r.resource()) }

func (r request) namespace() string {
	if r.Namespace != "" {
		return r.Namespace
	}
	return r.subject().GetNamespace()
}

func (r request) namespaceObject() (*corev1.Namespace, error) {
	if r.namespace() == "" {
		return nil, nil
	}
	namespace := &corev1.Namespace{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(r.NamespaceObject, namespace); err != nil {
		return nil, err
	}
	namespace.Name = r.namespace()
	if namespace.Labels == nil {
		namespace.Labels = map[string]string{}
	}
	namespace.Labels[nameLabel] = namespace.Name
	return namespace, nil
}

// annotated records the audit annotations that admission adds.
type annotated struct {
	admission.Attributes
	annotations map[string]string
}

func (a *annotated) AddAnnotation(key, value string) error {
	a.annotations[key] = value
	return nil
}

func (r request) record() (*annotated, error) {
	if r.Object == nil && r.OldObject == nil {
		return nil, fmt.Errorf("a request has neither object nor oldObject")
	}
	var object, old, options runtime.Object
	var err error
	if r.Object != nil {
		if object, err = decoded(r.Object); err != nil {
			return nil, err
		}
	}
	operation := admission.Create
	if r.OldObject != nil {
		operation = admission.Update
		if old, err = decoded(r.OldObject); err != nil {
			return nil, err
		}
	}
	if r.Operation != "" {
		operation = admission.Operation(strings.ToUpper(r.Operation))
	}
	if r.Options != nil {
		if options, err = decoded(r.Options); err != nil {
			return nil, err
		}
	}
	name := r.Name
	if name == "" {
		name = r.subject().GetName()
	}
	account := &user.DefaultInfo{
		Name: r.UserInfo.Username, UID: r.UserInfo.UID, Groups: r.UserInfo.Groups, Extra: r.UserInfo.Extra,
	}
	attributes := admission.NewAttributesRecord(
		object, old, r.kind(), r.namespace(), name, r.resource(), r.Subresource, operation, options, r.DryRun, account)
	return &annotated{attributes, map[string]string{}}, nil
}

func (r request) attributes() (*admission.VersionedAttributes, error) {
	record, err := r.record()
	if err != nil {
		return nil, err
	}
	return admission.NewVersionedAttributes(record, r.kind(), admission.NewObjectInterfacesFromScheme(scheme.Scheme))
}
