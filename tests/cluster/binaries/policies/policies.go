package main

import (
	"fmt"

	"k8s.io/api/admissionregistration/v1"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/cel/environment"
)

type policiesInput struct {
	Releases []string                       `json:"releases"`
	Policies []v1.ValidatingAdmissionPolicy `json:"policies"`
}

// refusal is why a release would not accept an expression of a policy.
type refusal struct {
	Release string `json:"release"`
	Field   string `json:"field"`
	Message string `json:"message"`
}

// compilePolicies returns the refusals of each policy.
func compilePolicies(input policiesInput) ([][]refusal, error) {
	answers := make([][]refusal, len(input.Policies))
	for i, policy := range input.Policies {
		answers[i] = []refusal{}
		for _, release := range input.Releases {
			found, err := refusals(release, policy.Spec)
			if err != nil {
				return nil, err
			}
			answers[i] = append(answers[i], found...)
		}
	}
	return answers, nil
}

func refusals(release string, spec v1.ValidatingAdmissionPolicySpec) ([]refusal, error) {
	compiler, err := compilerOf(release)
	if err != nil {
		return nil, err
	}
	found := []refusal{}
	add := func(made cel.CompilationResult, field string, of ...any) {
		if made.Error != nil {
			found = append(found, refusal{release, fmt.Sprintf(field, of...), made.Error.Detail})
		}
	}
	all := cel.OptionalVariableDeclarations{HasParams: spec.ParamKind != nil, HasAuthorizer: true}
	unauthorized := cel.OptionalVariableDeclarations{HasParams: spec.ParamKind != nil}
	compile := func(accessor cel.ExpressionAccessor, options cel.OptionalVariableDeclarations, field string, of ...any) {
		add(compiler.CompileCELExpression(accessor, options, environment.NewExpressions), field, of...)
	}
	for i := range spec.MatchConditions {
		accessor := (*matchconditions.MatchCondition)(&spec.MatchConditions[i])
		compile(accessor, all, "spec.matchConditions[%d].expression", i)
	}
	for i, each := range spec.Variables {
		accessor := &validating.Variable{Name: each.Name, Expression: each.Expression}
		add(compiler.CompileAndStoreVariable(accessor, all, environment.NewExpressions), "spec.variables[%d].expression", i)
	}
	for i, each := range spec.Validations {
		compile(&validating.ValidationCondition{Expression: each.Expression}, all, "spec.validations[%d].expression", i)
		if each.MessageExpression != "" {
			accessor := &validating.MessageExpressionCondition{MessageExpression: each.MessageExpression}
			compile(accessor, unauthorized, "spec.validations[%d].messageExpression", i)
		}
	}
	for i, each := range spec.AuditAnnotations {
		accessor := &validating.AuditAnnotationCondition{Key: each.Key, ValueExpression: each.ValueExpression}
		compile(accessor, all, "spec.auditAnnotations[%d].valueExpression", i)
	}
	return found, nil
}
