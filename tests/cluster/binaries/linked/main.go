// Command linked-server answers creates and updates of Jobs and CronJobs as the kube-apiserver of the Kubernetes release that it
// is linked with: decoding, defaults, the registry's strategy, validation of metadata, warnings, and the object as storage returns it.
//
//	linked-server [--feature-gates A=true,B=false] [--allow-privileged] [--copies-generated-names=false] < requests > answers
//
// A request is a line {"object", "old"?}: an update has the stored object. Its answer is a line {"code", "body", "warnings"?}:
// the body is the object, or the Status of an error.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	_ "time/tzdata" // as in kube-apiserver, for spec.timeZone
	"unicode"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/batch"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	"k8s.io/kubernetes/pkg/capabilities"
	_ "k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
)

const namespace = "default"

type resource struct {
	name   string
	create rest.RESTCreateStrategy
	update rest.RESTUpdateStrategy
	empty  func() runtime.Object // as the endpoint's storage makes it
}

var resources = map[string]resource{
	"Job":     {"jobs", job.Strategy, job.Strategy, func() runtime.Object { return &batch.Job{} }},
	"CronJob": {"cronjobs", cronjob.Strategy, cronjob.Strategy, func() runtime.Object { return &batch.CronJob{} }},
}

type answer struct {
	Code     int32           `json:"code"`
	Body     json.RawMessage `json:"body"`
	Warnings []string        `json:"warnings,omitempty"`
}

// warnings collects what the server would send in Warning headers: each text once, none with control characters.
type warnings struct {
	texts []string
	seen  sets.Set[string]
}

func (w *warnings) AddWarning(_, text string) {
	if !w.seen.Has(text) && strings.IndexFunc(text, unicode.IsControl) < 0 {
		w.seen.Insert(text)
		w.texts = append(w.texts, text)
	}
}

var (
	strict  runtime.Decoder
	lenient runtime.Decoder
	encoder runtime.Encoder
	stored  runtime.Codec
	copies  bool
)

func main() {
	gates := flag.String("feature-gates", "", "as of kube-apiserver")
	privileged := flag.Bool("allow-privileged", false, "as of kube-apiserver")
	flag.BoolVar(&copies, "copies-generated-names", true, "false for releases before 1.31")
	flag.Parse()
	if *gates != "" {
		if err := utilfeature.DefaultMutableFeatureGate.Set(*gates); err != nil {
			fmt.Fprintln(os.Stderr, "error:", err)
			os.Exit(2)
		}
	}
	capabilities.Initialize(capabilities.Capabilities{AllowPrivileged: *privileged})
	supported := legacyscheme.Codecs.SupportedMediaTypes()
	info, _ := runtime.SerializerInfoForMediaType(supported, runtime.ContentTypeJSON)
	protobuf, _ := runtime.SerializerInfoForMediaType(supported, runtime.ContentTypeProtobuf)
	internal := schema.GroupVersion{Group: batch.GroupName, Version: runtime.APIVersionInternal}
	strict = legacyscheme.Codecs.DecoderToVersion(info.StrictSerializer, internal)
	lenient = legacyscheme.Codecs.DecoderToVersion(info.Serializer, internal)
	encoder = legacyscheme.Codecs.EncoderForVersion(info.Serializer, batchv1.SchemeGroupVersion)
	stored = legacyscheme.Codecs.CodecForVersions(
		protobuf.Serializer, legacyscheme.Codecs.UniversalDeserializer(), batchv1.SchemeGroupVersion, internal)

	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	written := json.NewEncoder(os.Stdout)
	written.SetEscapeHTML(false)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if err := written.Encode(answered(line)); err != nil {
				fmt.Fprintln(os.Stderr, "error:", err)
				os.Exit(1)
			}
		}
		if err != nil {
			return
		}
	}
}

func answered(line []byte) (given answer) {
	var asked struct{ Object, Old json.RawMessage }
	if err := json.Unmarshal(line, &asked); err != nil {
		return refused(err)
	}
	defer func() {
		if cause := recover(); cause != nil { // as the server's handler does
			given = refused(fmt.Errorf("panic: %v", cause))
		}
	}()
	var of struct{ Kind string }
	_ = json.Unmarshal(asked.Object, &of)
	if _, known := resources[of.Kind]; !known {
		of.Kind = "Job"
	}
	kind := resources[of.Kind]
	verb, code := "create", int32(201)
	if asked.Old != nil {
		verb, code = "update", 200
	}
	collected := &warnings{seen: sets.New[string]()}
	ctx := request.WithNamespace(warning.WithWarningRecorder(context.Background(), collected), namespace)
	ctx = request.WithRequestInfo(ctx, &request.RequestInfo{
		IsResourceRequest: true, Verb: verb, APIPrefix: "apis", APIGroup: batch.GroupName, APIVersion: "v1",
		Namespace: namespace, Resource: kind.name,
	})
	var object runtime.Object
	var err error
	if verb == "update" {
		object, err = updated(ctx, kind, of.Kind, asked.Object, asked.Old)
	} else {
		object, err = created(ctx, kind, of.Kind, asked.Object)
	}
	var body bytes.Buffer
	if err == nil {
		err = encoder.Encode(object, &body)
	}
	if err != nil {
		given = refused(err)
	} else {
		given = answer{Code: code, Body: bytes.TrimSpace(body.Bytes())}
	}
	given.Warnings = collected.texts
	return given
}

func refused(err error) answer {
	status := metav1.Status{Code: 500, Reason: metav1.StatusReasonInternalError, Message: err.Error()}
	if known, ok := err.(errors.APIStatus); ok {
		status = known.Status()
	}
	var body bytes.Buffer
	writer := json.NewEncoder(&body)
	writer.SetEscapeHTML(false)
	_ = writer.Encode(status)
	return answer{Code: status.Code, Body: bytes.TrimSpace(body.Bytes())}
}

func created(ctx context.Context, kind resource, name string, body []byte) (runtime.Object, error) {
	object, metadata, err := decoded(ctx, kind, name, body)
	if err != nil {
		return nil, err
	}
	rest.WipeObjectMetaSystemFields(metadata)
	rest.FillObjectMetaSystemFields(metadata)
	if metadata.GetGenerateName() != "" && metadata.GetName() == "" {
		if copies {
			// The store copies an object whose name it may have to generate again. The labels that a Job got from its template are
			// otherwise one map with them, and the strategy's additions to the template's reach both.
			object = object.DeepCopyObject()
			if metadata, err = meta.Accessor(object); err != nil {
				return nil, err
			}
		}
		metadata.SetName(kind.create.GenerateName(metadata.GetGenerateName()))
	}
	if err := rest.BeforeCreate(kind.create, ctx, object); err != nil {
		return nil, err
	}
	return readBack(kind, object)
}

func updated(ctx context.Context, kind resource, name string, body, old []byte) (runtime.Object, error) {
	live, _, err := lenient.Decode(old, nil, kind.empty())
	if err != nil {
		return nil, err
	}
	before, err := meta.Accessor(live)
	if err != nil {
		return nil, err
	}
	object, metadata, err := decoded(ctx, kind, name, body)
	if err != nil {
		return nil, err
	}
	if metadata.GetName() != before.GetName() {
		return nil, errors.NewBadRequest(fmt.Sprintf(
			"the name of the object (%s) does not match the name on the URL (%s)", metadata.GetName(), before.GetName()))
	}
	of := schema.GroupResource{Group: batch.GroupName, Resource: kind.name}
	if uid := metadata.GetUID(); uid != "" && uid != before.GetUID() {
		return nil, errors.NewConflict(of, before.GetName(), fmt.Errorf(
			"Precondition failed: UID in precondition: %v, UID in object meta: %v", uid, before.GetUID()))
	}
	if version := metadata.GetResourceVersion(); version == "" {
		metadata.SetResourceVersion(before.GetResourceVersion())
	} else if version != before.GetResourceVersion() {
		return nil, errors.NewConflict(of, before.GetName(), fmt.Errorf("the object has been modified"))
	}
	if err := rest.BeforeUpdate(kind.update, ctx, object, live); err != nil {
		return nil, err
	}
	return readBack(kind, object)
}

// decoded is the object with its defaults, as the internal type, after what the endpoint does to every request.
func decoded(ctx context.Context, kind resource, name string, body []byte) (runtime.Object, metav1.Object, error) {
	want := batchv1.SchemeGroupVersion.WithKind(name)
	object, got, err := strict.Decode(body, &want, kind.empty())
	if err != nil {
		if got != nil && got.Kind != "" {
			err = fmt.Errorf("%s in version %q cannot be handled as a %s: %w", got.Kind, got.Version, name, err)
		}
		return nil, nil, errors.NewBadRequest(err.Error())
	}
	if got.GroupVersion() != batchv1.SchemeGroupVersion {
		return nil, nil, errors.NewBadRequest(fmt.Sprintf(
			"the API version in the data (%s) does not match the expected API version (%s)",
			got.GroupVersion(), batchv1.SchemeGroupVersion))
	}
	metadata, err := meta.Accessor(object)
	if err != nil {
		return nil, nil, err
	}
	if err := rest.EnsureObjectNamespaceMatchesRequestNamespace(namespace, metadata); err != nil {
		return nil, nil, err
	}
	removeDuplicateOwners(ctx, metadata)
	metadata.SetManagedFields(nil) // the field manager, which is not here, replaces those that it cannot read
	return object, metadata, nil
}

// readBack is the object as it comes out of storage, also in a dry run: defaulted a second time (a Job without labels gets those
// of its template, by now with the generated ones), and without what protobuf does not keep, such as empty lists.
func readBack(kind resource, object runtime.Object) (runtime.Object, error) {
	written, err := runtime.Encode(stored, object)
	if err != nil {
		return nil, err
	}
	read, _, err := stored.Decode(written, nil, kind.empty())
	return read, err
}

// removeDuplicateOwners does to owner references what the endpoint does, with its warning.
func removeDuplicateOwners(ctx context.Context, metadata metav1.Object) {
	var kept []metav1.OwnerReference
	var twice []string
	known := sets.New[string]()
	for _, owner := range metadata.GetOwnerReferences() {
		text, _ := json.Marshal(owner)
		if known.Has(string(text)) {
			twice = append(twice, string(owner.UID))
			continue
		}
		known.Insert(string(text))
		kept = append(kept, owner)
	}
	if twice != nil {
		metadata.SetOwnerReferences(kept)
		warning.AddWarning(ctx, "", ".metadata.ownerReferences contains duplicate entries; API server dedups owner "+
			"references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; "+
			"duplicate UID(s) observed: "+strings.Join(twice, ", "))
	}
}
