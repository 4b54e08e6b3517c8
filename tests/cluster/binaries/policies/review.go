package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"time"

	"k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/util/compatibility"
	"k8s.io/apiserver/pkg/warning"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/component-base/featuregate"
)

// failuresKey is the audit annotation that lists every failed validation, of which a denial shows the first.
const failuresKey = "validation.policy.admission.k8s.io/validation_failure"

type reviewInput struct {
	Objects  []map[string]any `json:"objects"` // policies, bindings, params, namespaces, CustomResourceDefinitions
	Requests []request        `json:"requests"`
}

// review is the answer of the admission plugin, with one policy, to one request.
type review struct {
	Allowed  bool      `json:"allowed"`
	Message  string    `json:"message,omitempty"`
	Reason   string    `json:"reason,omitempty"`
	Code     int32     `json:"code,omitempty"`
	Warnings []string  `json:"warnings,omitempty"`
	Failures []failure `json:"failures,omitempty"` // all of them; a denial carries the first
}

type failure struct {
	Message         string `json:"message"`
	Binding         string `json:"binding"`
	ExpressionIndex int    `json:"expressionIndex"`
}

// reviewRequests answers, by the name of each policy, the requests under that policy alone: with several, which
// denial a client sees depends on the order of a Go map.
func reviewRequests(input reviewInput) (map[string][]review, error) {
	cluster, err := readCluster(input)
	if err != nil {
		return nil, err
	}
	answers := map[string][]review{}
	for _, policy := range cluster.policies {
		plugin, stop, err := cluster.plugin(policy)
		if err != nil {
			return nil, err
		}
		answers[policy.Name] = []review{}
		for _, each := range input.Requests {
			made, err := answerTo(plugin, each)
			if err != nil {
				stop()
				return nil, err
			}
			answers[policy.Name] = append(answers[policy.Name], made)
		}
		stop()
	}
	return answers, nil
}

type recorder struct{ warnings []string }

func (r *recorder) AddWarning(_, text string) { r.warnings = append(r.warnings, text) }

func answerTo(plugin *validating.Plugin, asked request) (review, error) {
	attributes, err := asked.record()
	if err != nil {
		return review{}, err
	}
	warned := &recorder{}
	ctx := warning.WithWarningRecorder(context.Background(), warned)
	err = plugin.Validate(ctx, attributes, admission.NewObjectInterfacesFromScheme(scheme.Scheme))
	made := review{Allowed: err == nil, Warnings: warned.warnings}
	if err != nil {
		made.Message = err.Error()
		var status apierrors.APIStatus
		if errors.As(err, &status) {
			made.Reason, made.Code = string(status.Status().Reason), status.Status().Code
		}
	}
	if text, ok := attributes.annotations[failuresKey]; ok {
		if err := json.Unmarshal([]byte(text), &made.Failures); err != nil {
			return review{}, err
		}
	}
	return made, nil
}

// cluster is what the plugin would find in etcd.
type cluster struct {
	policies []*v1.ValidatingAdmissionPolicy
	bindings []*v1.ValidatingAdmissionPolicyBinding
	native   []runtime.Object
	custom   []runtime.Object
	scopes   map[schema.GroupVersionKind]meta.RESTScope
	plurals  map[schema.GroupVersionKind]string
}

func readCluster(input reviewInput) (*cluster, error) {
	found := &cluster{
		scopes: map[schema.GroupVersionKind]meta.RESTScope{}, plurals: map[schema.GroupVersionKind]string{},
	}
	namespaces := map[string]bool{}
	for _, object := range input.Objects {
		if err := found.add(object); err != nil {
			return nil, err
		}
		if object["kind"] == "Namespace" {
			namespaces[(&unstructured.Unstructured{Object: object}).GetName()] = true
		}
	}
	for _, each := range input.Requests {
		name := each.namespace()
		if name == "" || namespaces[name] {
			continue
		}
		namespace, err := each.namespaceObject()
		if err != nil {
			return nil, err
		}
		namespaces[name] = true
		found.native = append(found.native, namespace)
	}
	sort.Slice(found.policies, func(one, other int) bool { return found.policies[one].Name < found.policies[other].Name })
	return found, nil
}

func (c *cluster) add(object map[string]any) error {
	unknown := &unstructured.Unstructured{Object: object}
	kind := unknown.GroupVersionKind()
	switch {
	case kind.Kind == "CustomResourceDefinition":
		return c.define(unknown)
	case kind.Kind == "ValidatingAdmissionPolicy":
		policy := &v1.ValidatingAdmissionPolicy{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object, policy); err != nil {
			return err
		}
		setPolicyDefaults(policy)
		c.policies = append(c.policies, policy)
		return nil
	case kind.Kind == "ValidatingAdmissionPolicyBinding":
		binding := &v1.ValidatingAdmissionPolicyBinding{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object, binding); err != nil {
			return err
		}
		setMatchDefaults(binding.Spec.MatchResources)
		c.bindings = append(c.bindings, withAudit(binding))
		return nil
	}
	known, err := decoded(object)
	if err != nil {
		return err
	}
	if _, ok := known.(*unstructured.Unstructured); ok {
		c.custom = append(c.custom, known)
		if _, ok := c.scopes[kind]; !ok {
			c.scopes[kind] = meta.RESTScopeRoot
			if unknown.GetNamespace() != "" {
				c.scopes[kind] = meta.RESTScopeNamespace
			}
		}
		return nil
	}
	if namespace, ok := known.(*corev1.Namespace); ok {
		if namespace.Labels == nil {
			namespace.Labels = map[string]string{}
		}
		namespace.Labels[nameLabel] = namespace.Name
	}
	c.native = append(c.native, known)
	return nil
}

// withAudit makes the plugin list every failed validation in an audit annotation.
func withAudit(binding *v1.ValidatingAdmissionPolicyBinding) *v1.ValidatingAdmissionPolicyBinding {
	for _, action := range binding.Spec.ValidationActions {
		if action == v1.Audit {
			return binding
		}
	}
	binding.Spec.ValidationActions = append(binding.Spec.ValidationActions, v1.Audit)
	return binding
}

func (c *cluster) define(definition *unstructured.Unstructured) error {
	group, _, _ := unstructured.NestedString(definition.Object, "spec", "group")
	name, _, _ := unstructured.NestedString(definition.Object, "spec", "names", "kind")
	plural, _, _ := unstructured.NestedString(definition.Object, "spec", "names", "plural")
	scope, _, _ := unstructured.NestedString(definition.Object, "spec", "scope")
	versions, _, err := unstructured.NestedSlice(definition.Object, "spec", "versions")
	if err != nil {
		return err
	}
	for _, each := range versions {
		version, _, _ := unstructured.NestedString(each.(map[string]any), "name")
		kind := schema.GroupVersionKind{Group: group, Version: version, Kind: name}
		c.plurals[kind] = plural
		c.scopes[kind] = meta.RESTScopeRoot
		if scope == "Namespaced" {
			c.scopes[kind] = meta.RESTScopeNamespace
		}
	}
	return nil
}

// plugin starts the admission plugin of the API server over a client that holds the objects in memory.
func (c *cluster) plugin(policy *v1.ValidatingAdmissionPolicy) (*validating.Plugin, func(), error) {
	native := append([]runtime.Object{policy}, c.native...)
	for _, binding := range c.bindings {
		if binding.Spec.PolicyName == policy.Name {
			native = append(native, binding)
		}
	}
	client := fake.NewSimpleClientset(native...)
	mapper := meta.NewDefaultRESTMapper(nil)
	for kind := range scheme.Scheme.AllKnownTypes() {
		scope := meta.RESTScope(meta.RESTScopeNamespace)
		if clusterScoped[kind.Kind] {
			scope = meta.RESTScopeRoot
		}
		mapper.Add(kind, scope)
	}
	lists := map[schema.GroupVersionResource]string{}
	for kind, scope := range c.scopes {
		plural, singular := meta.UnsafeGuessKindToResource(kind)
		if c.plurals[kind] != "" {
			plural.Resource = c.plurals[kind]
		}
		mapper.AddSpecific(kind, plural, singular, scope)
		lists[plural] = kind.Kind + "List"
	}
	dynamic := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists, c.custom...)
	factory := informers.NewSharedInformerFactory(client, time.Hour)
	plugin, err := validating.NewPlugin(nil)
	if err != nil {
		return nil, nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	initializer.New(
		client, dynamic, factory, authorizerfactory.NewAlwaysDenyAuthorizer(), featuregate.NewFeatureGate(),
		compatibility.DefaultBuildEffectiveVersion(), ctx.Done(), mapper,
	).Initialize(plugin)
	if err := plugin.ValidateInitialization(); err != nil {
		stop()
		return nil, nil, err
	}
	factory.Start(ctx.Done())
	if !plugin.WaitForReady() {
		stop()
		return nil, nil, fmt.Errorf("policy %s: the plugin did not become ready", policy.Name)
	}
	return plugin, stop, nil
}

// clusterScoped lists the built-in kinds without a namespace that a paramKind might name.
var clusterScoped = map[string]bool{
	"Namespace": true, "Node": true, "PersistentVolume": true, "ClusterRole": true, "ClusterRoleBinding": true,
	"PriorityClass": true, "RuntimeClass": true, "StorageClass": true, "IngressClass": true,
}

// setPolicyDefaults sets what the API server sets when a policy is stored.
func setPolicyDefaults(policy *v1.ValidatingAdmissionPolicy) {
	if policy.Spec.FailurePolicy == nil {
		fail := v1.Fail
		policy.Spec.FailurePolicy = &fail
	}
	setMatchDefaults(policy.Spec.MatchConstraints)
}

func setMatchDefaults(match *v1.MatchResources) {
	if match == nil {
		return
	}
	if match.MatchPolicy == nil {
		equivalent := v1.Equivalent
		match.MatchPolicy = &equivalent
	}
	if match.NamespaceSelector == nil {
		match.NamespaceSelector = &metav1.LabelSelector{}
	}
	if match.ObjectSelector == nil {
		match.ObjectSelector = &metav1.LabelSelector{}
	}
	for _, rules := range [][]v1.NamedRuleWithOperations{match.ResourceRules, match.ExcludeResourceRules} {
		for i := range rules {
			if rules[i].Scope == nil {
				all := v1.AllScopes
				rules[i].Scope = &all
			}
		}
	}
}
