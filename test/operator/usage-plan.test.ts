import { expect, test } from 'vitest';
import { joinUsagePlan } from '#infra/operator/usage-plan.ts';
import { fakePlans } from './fake-plans.ts';

const companyId = '11111111-1111-4111-8111-111111111111';

test('a company joins the plan with a key whose value is its id, as the authorizer names it', async () => {
  const gateway = fakePlans();
  const member = await joinUsagePlan(gateway, { companyId, usagePlanId: 'plan1' });
  expect(member).toEqual({ companyId, usagePlanId: 'plan1', apiKeyId: `key-of-${companyId}` });
  expect(gateway.members).toEqual([`plan1 key-of-${companyId}`]);
});

test('joining twice makes neither a second key nor a second membership', async () => {
  const gateway = fakePlans();
  const first = await joinUsagePlan(gateway, { companyId, usagePlanId: 'plan1' });
  expect(await joinUsagePlan(gateway, { companyId, usagePlanId: 'plan1' })).toEqual(first);
  expect(gateway.members).toHaveLength(1);
});

test('joining the usage plan fails with the error of API Gateway when that is not a conflict', async () => {
  const send = () => Promise.reject(new Error('No permission.'));
  await expect(joinUsagePlan({ send } as never, { companyId, usagePlanId: 'plan1' })).rejects.toThrow('No permission.');
});
