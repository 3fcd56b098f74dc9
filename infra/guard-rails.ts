import type { App } from 'aws-cdk-lib';
import { Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';

/** A finding of cdk-nag that is meant to be so. */
type Acknowledgement = {
  readonly rule: string;
  /** Construct paths below the stage that it holds for. */
  readonly where: RegExp;
  readonly reason: string;
};

const acknowledgements: readonly Acknowledgement[] = [];

/** Makes synthesis fail on what the AWS Solutions rules find, apart from what is acknowledged above with a reason. */
export function addGuardRails(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  for (const construct of app.node.findAll()) acknowledge(construct);
}

function acknowledge(construct: IConstruct): void {
  for (const { rule, where, reason } of acknowledgements) {
    if (where.test(construct.node.path)) Validations.of(construct).acknowledge({ id: rule, reason });
  }
}
