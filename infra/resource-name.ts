import type { EnvironmentSettings } from './settings.ts';

/**
 * Returns the name of a function or a queue. Alarms and roles know the name before anything is deployed. A reference
 * would fix the order of the deployment, and an export would keep the function as long as an alarm watches it.
 */
export function resourceName({ name }: Pick<EnvironmentSettings, 'name'>, suffix: string): string {
  return `banking-order-${name}-${suffix}`;
}

/**
 * Names of the queues, within their environment. A queue that moves to another stack needs another name: CloudFormation
 * deletes the former queue last, and cannot create a second queue of the same name before that.
 */
const queueNames = {
  deliveries: 'webhook-deliveries',
  drains: 'webhook-drains',
  deadLetters: 'webhook-dead-letters',
  relayFailures: 'webhook-relay-failures',
  scheduleFailures: 'schedule-failures',
  callbacks: 'bank-callbacks',
  callbackUnknown: 'bank-callback-unknown',
  callbackFailures: 'bank-callback-failures',
} as const;
export type QueueOf = keyof typeof queueNames;

/** The queues of what failed: each message needs an operator. */
export const failureQueues = ['deadLetters', 'relayFailures', 'scheduleFailures', 'callbackFailures'] as const;

export function queueName(settings: Pick<EnvironmentSettings, 'name'>, key: QueueOf): string {
  return resourceName(settings, queueNames[key]);
}

/** Returns the name of the stack with functions and API, whose last update is the last deployment. */
export function serviceStackName({ name }: Pick<EnvironmentSettings, 'name'>): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}-Service`;
}
