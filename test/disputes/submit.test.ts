import { beforeEach, describe, expect, it } from 'vitest';
import { openDispute } from '#shared/bank-events/disputes.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Defence, Dispute } from '#shared/disputes/model.ts';
import { requireDispute } from '#shared/disputes/store.ts';
import { submitDefence, submitDueDefence } from '#shared/disputes/submit.ts';
import { companyOne } from '../support/bank-world.ts';
import { connectionId } from '../support/connected-items.ts';
import { disputesWorld } from './disputes-world.ts';

const taken = { outcome: 'DONE', state: { status: 'SENT' } } as const;
const refusal = { outcome: 'REFUSED', code: 'prazo', reason: 'Too late.' } as const;

let tested: ReturnType<typeof disputesWorld>;
let answer: typeof taken | typeof refusal | { readonly outcome: 'NOT_NOW' | 'UNKNOWN'; readonly cause: string };
let lookups: number;
let found: { readonly dispute: Dispute; readonly defence: Defence };
const context = () => ({ ...tested.credits.context(), bank: tested.world.bank });
const submit = () => submitDefence(context(), found, { again: false });
const read = () => requireDispute(tested.world.store, companyOne, found.dispute.id);

/** A defence that the bank does not take now. */
beforeEach(async () => {
  tested = disputesWorld();
  await tested.world.openAccount(0);
  lookups = 0;
  answer = { outcome: 'NOT_NOW', cause: '429' };
  tested.world.bank.defences.submit = () => Promise.resolve(answer);
  tested.world.bank.defences.find = () => {
    lookups += 1;
    return Promise.resolve({ outcome: 'NEVER_SEEN' });
  };
  tested.world.setCapabilities({});
  const creditId = await tested.credits.booked(`E0000000020260115150000000000001`, 10_000, {
    connection: connectionId,
  });
  const { at } = tested.credits.context();
  const claim = {
    kind: 'FRAUD',
    reason: 'A scam.',
    dueAt: plusSeconds(at, 86_400),
    claimId: 'c',
    claimedAt: at,
  } as const;
  const { dispute } = await openDispute(tested.credits.context(), { creditId }, claim);
  expect((await tested.calls.defend(dispute.id, 'k')).status).toBe(201);
  const { dispute: now, defences } = await requireDispute(tested.world.store, companyOne, dispute.id);
  found = { dispute: now, defence: defences[0]! };
});

describe('a defence that the bank gets', () => {
  it('is given without a look-up the first time', async () => {
    expect(lookups).toBe(0);
    answer = taken;
    expect(await submit()).toBe('ENDED');
    expect(lookups).toBe(0);
  });

  it('stays to be given while the bank does not take it', async () => {
    expect(await submit()).toBe('UNKNOWN');
    expect((await read()).defences).toMatchObject([{ status: 'PENDING' }]);
  });

  it('has ended when the bank refuses it', async () => {
    answer = refusal;
    expect(await submit()).toBe('REFUSED');
    expect((await read()).defences).toMatchObject([{ status: 'REFUSED', errorMessage: 'prazo: Too late.' }]);
  });

  it('keeps the first answer when another comes after it', async () => {
    answer = taken;
    await submit();
    const before = tested.world.items();
    answer = refusal;
    await submit();
    expect(tested.world.items()).toEqual(before);
  });

  it('is nothing to do when its job names none that waits', async () => {
    const unknown = `${found.dispute.id}#00000000-0000-4000-8000-000000000000`;
    expect(await submitDueDefence(context(), unknown)).toBe('NOTHING_TO_DO');
  });
});
