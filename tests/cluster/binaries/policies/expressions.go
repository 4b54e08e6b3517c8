package main

import (
	"context"
	"fmt"

	celgo "github.com/google/cel-go/cel"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

type expressionsInput struct {
	Releases    []string     `json:"releases"`
	Cases       []request    `json:"cases"`
	Expressions []expression `json:"expressions"`
}

type expression struct {
	Expression string     `json:"expression"`
	Returns    string     `json:"returns"` // bool, string or any
	Variables  []variable `json:"variables"`
	Params     bool       `json:"params"`
	Cases      []int      `json:"cases"` // indexes of the cases to evaluate it on
}

type variable struct {
	Name       string `json:"name"`
	Expression string `json:"expression"`
}

// expressionAnswer holds, by release, why the expression is refused, or its results on the cases.
type expressionAnswer struct {
	Refusals map[string]string   `json:"refusals"`
	Results  map[string][]result `json:"results"`
}

type result struct {
	Value any    `json:"value,omitempty"` // [type, value]
	Error string `json:"error,omitempty"`
	Cost  int64  `json:"cost"`
}

// compiledAs is an expression that must return one of these types.
type compiledAs struct {
	source string
	types  []*celgo.Type
}

func (c *compiledAs) GetExpression() string      { return c.source }
func (c *compiledAs) ReturnTypes() []*celgo.Type { return c.types }

var returned = map[string][]*celgo.Type{
	"bool":   {celgo.BoolType},
	"string": {celgo.StringType},
	"any":    {celgo.AnyType, celgo.DynType},
}

func evaluateExpressions(input expressionsInput) ([]expressionAnswer, error) {
	answers := make([]expressionAnswer, len(input.Expressions))
	for i := range answers {
		answers[i] = expressionAnswer{Refusals: map[string]string{}, Results: map[string][]result{}}
	}
	for _, release := range input.Releases {
		shared, err := compilerOf(release)
		if err != nil {
			return nil, err
		}
		for i, each := range input.Expressions {
			compiler := shared
			if len(each.Variables) > 0 {
				if compiler, err = compilerOf(release); err != nil {
					return nil, err
				}
			}
			if err := answers[i].add(release, each, compiler, input.Cases); err != nil {
				return nil, err
			}
		}
	}
	return answers, nil
}

func (a *expressionAnswer) add(release string, asked expression, compiler *cel.CompositedCompiler, cases []request) error {
	types := returned[asked.Returns]
	if types == nil {
		return fmt.Errorf("%q: returns must be bool, string or any", asked.Expression)
	}
	options := cel.OptionalVariableDeclarations{HasParams: asked.Params, HasAuthorizer: true}
	for _, each := range asked.Variables {
		accessor := &validating.Variable{Name: each.Name, Expression: each.Expression}
		if made := compiler.CompileAndStoreVariable(accessor, options, environment.NewExpressions); made.Error != nil {
			a.Refusals[release] = each.Name + ": " + made.Error.Detail
			return nil
		}
	}
	accessor := &compiledAs{asked.Expression, types}
	if made := compiler.CompileCELExpression(accessor, options, environment.NewExpressions); made.Error != nil {
		a.Refusals[release] = made.Error.Detail
		return nil
	}
	condition := compiler.CompileCondition([]cel.ExpressionAccessor{accessor}, options, environment.NewExpressions)
	a.Results[release] = []result{}
	for _, index := range asked.Cases {
		made, err := evaluate(condition, cases[index])
		if err != nil {
			return err
		}
		a.Results[release] = append(a.Results[release], made)
	}
	return nil
}

func evaluate(condition cel.ConditionEvaluator, input request) (result, error) {
	attributes, err := input.attributes()
	if err != nil {
		return result{}, err
	}
	bindings := cel.OptionalVariableBindings{}
	if input.Params != nil {
		if bindings.VersionedParams, err = decoded(input.Params); err != nil {
			return result{}, err
		}
	}
	namespace, err := input.namespaceObject()
	if err != nil {
		return result{}, err
	}
	described := cel.CreateAdmissionRequest(attributes.Attributes, input.gvr(), input.gvk())
	budget := int64(celconfig.RuntimeCELCostBudget)
	evaluations, remaining, err := condition.ForInput(
		context.Background(), attributes, described, bindings, cel.CreateNamespaceObject(namespace), budget)
	switch {
	case err != nil:
		return result{Error: err.Error()}, nil
	case evaluations[0].Error != nil:
		return result{Error: evaluations[0].Error.Error(), Cost: budget - remaining}, nil
	default:
		return result{Value: typed(evaluations[0].EvalResult), Cost: budget - remaining}, nil
	}
}
