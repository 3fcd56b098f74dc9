import { randomUUID } from 'node:crypto';
import type { Store } from '#shared/platform/table/store.ts';
import type { Answer } from '../support/api.ts';
import type { ValidationResponse } from '../support/key-world.ts';
import { email, keyWorld, otherThan } from '../support/key-world.ts';
import type { Measured } from './measured-operations.ts';

const accountId = 'aaaaaaaa-aaaa-4aaa-8aaa-cccccccccccc';

/** What PIX keys cost, on an account that has one confirmed; in this order. */
export async function measuredKeys(store: Store): Promise<readonly Measured[]> {
  const world = keyWorld({ wrap: () => store, seed: 'measured-keys' });
  const by = { accountId };
  await world.openAccount(0, { id: accountId });
  const before = await world.begun(email(`${randomUUID()}@example.com`), by);
  await world.confirm(before.validationId, before.code, by);

  let validation: ValidationResponse | undefined;
  const ok = async (response: Promise<Answer>, status: number): Promise<Answer> => {
    const given = await response;
    if (given.status !== status) throw new Error(`${given.status} ${given.text}`);
    return given;
  };
  const id = (): string => validation?.validationId ?? 'none';
  const code = (): string => world.sent.at(-1)?.code ?? 'none';
  const other = (name: string, run: () => Promise<unknown>): Measured => ({ name, kind: 'other', run });
  const change = (name: string, run: () => Promise<unknown>): Measured => ({ name, kind: 'change', run });
  return [
    change('Create PIX key', async () => {
      const { body } = await ok(world.create(email(`${randomUUID()}@example.com`), by), 201);
      validation = body as ValidationResponse;
    }),
    other('Send its code', () => world.sendOf({ ...by, validationId: id(), number: 1 })),
    other('Send a code again', () => ok(world.resend(id(), by), 200)),
    other('Send that code', () => world.sendOf({ ...by, validationId: id(), number: 2 })),
    other('Confirm PIX key, wrong code', () => ok(world.confirm(id(), otherThan(code()), by), 409)),
    other('Confirm PIX key', () => ok(world.confirm(id(), code(), by), 200)),
    other('List PIX keys, a page of 2', () => ok(world.list({}, by), 200)),
  ];
}
