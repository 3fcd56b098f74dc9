import type { Stack } from 'aws-cdk-lib';
import { CfnRule, Fn, Validations } from 'aws-cdk-lib';
import type { EnvironmentSettings } from '../settings.ts';
import { isForPartners, unsetValues } from '../unset-values.ts';

type Stacks = { readonly data: Stack; readonly service: Stack };

/**
 * Says what nobody has set. Where partners use the environment that stops a deployment: the CDK CLI, before it asks for
 * credentials, by an error on each stack that it chose, and CloudFormation, whatever it gets the template from, by a
 * rule that no stack fulfils. Whoever only looks at the stacks is warned.
 */
export function stopUnset({ data, service }: Stacks, settings: EnvironmentSettings, deploys: boolean): void {
  const unset = unsetValues(settings);
  if (unset.length === 0) return;
  const { name } = settings;
  const list = unset.map(({ setting, what }) => `  ${setting}: ${what}`).join('\n');
  const message = `infra/environments.ts does not say yet for ${name}:\n${list}\nSee docs/deployment.md, step 5.`;
  const stops = isForPartners(settings);
  if (stops) for (const stack of [data, service]) addRule(stack, message);
  // On the stacks, because the CLI prints what is said of the stacks that it chose, not of their stage.
  if (stops && deploys) {
    Validations.of(data).addError('UnsetValues', `${name} lacks values, listed with its stack Service.`);
    Validations.of(service).addError('UnsetValues', message);
  } else {
    Validations.of(service).addWarning('UnsetValues', message);
  }
}

/** Of the shape of the CDK's own rule on the version of the bootstrap stack; no version is called so. */
function addRule(stack: Stack, message: string): void {
  const assert = Fn.conditionContains(['every value is set'], Fn.ref('BootstrapVersion'));
  new CfnRule(stack, 'UnsetValues', { assertions: [{ assert, assertDescription: message }] });
}
