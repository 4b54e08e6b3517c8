// Command admission-policies answers questions about CEL and ValidatingAdmissionPolicies with the code of
// kube-apiserver itself, without a server. It reads one JSON document from stdin and writes one to stdout.
//
//	admission-policies expressions   compiles expressions as each release would, and evaluates them
//	admission-policies policies      compiles the expressions of whole policies as each release would
//	admission-policies review        answers admission requests under policies, bindings and params
//	admission-policies crd           validates a CustomResourceDefinition
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/klog/v2"
)

var commands = map[string]func(input []byte) (any, error){
	"expressions": answer(evaluateExpressions),
	"policies":    answer(compilePolicies),
	"review":      answer(reviewRequests),
	"crd":         answer(validateDefinition),
}

func main() {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	if len(os.Args) != 2 || commands[os.Args[1]] == nil {
		fail("usage: admission-policies expressions|policies|review|crd < input.json")
	}
	input, err := io.ReadAll(os.Stdin)
	if err != nil {
		fail(err.Error())
	}
	output, err := commands[os.Args[1]](input)
	if err != nil {
		fail(err.Error())
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(output); err != nil {
		fail(err.Error())
	}
}

// answer decodes the input of a command. Integers stay integers, as in the API server.
func answer[I, O any](command func(I) (O, error)) func([]byte) (any, error) {
	return func(input []byte) (any, error) {
		var decoded I
		if err := utiljson.Unmarshal(input, &decoded); err != nil {
			return nil, err
		}
		return command(decoded)
	}
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, "error: "+message)
	os.Exit(1)
}
