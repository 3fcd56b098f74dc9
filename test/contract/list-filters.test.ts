import { expect, test } from 'vitest';
import { ListPayIns } from '#functions/pay-ins/list/contract.ts';
import { ListPayouts } from '#functions/payouts/list/contract.ts';
import { ListSubscriptions } from '#functions/subscriptions/list/contract.ts';
import { pagedBy } from '#shared/contract/page.ts';
import type { ResourceFilters } from '#shared/platform/table/resource-list.ts';

/** The filters that the lists of orders and subscriptions apply: the compiler holds them to their type. */
const applied: Readonly<Record<keyof ResourceFilters, true>> = {
  accountId: true,
  status: true,
  externalId: true,
  endToEndId: true,
  createdFrom: true,
  createdTo: true,
};

test.each([ListPayIns, ListPayouts, ListSubscriptions])('$operationId takes no filter that it ignores', ({ query }) => {
  const names = Object.keys(query.shape).filter((name) => !(name in pagedBy('creation')));
  expect(names.length).toBeGreaterThan(2);
  expect(names.filter((name) => !(name in applied))).toEqual([]);
});
