import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { decideDispute, openDispute } from '#shared/bank-events/disputes.ts';
import { allCapabilities } from '#shared/bank/capabilities.ts';
import type { CommandOutcome, FoundCommand } from '#shared/bank/outcome.ts';
import type { DefenceOrder, DefenceState } from '#shared/bank/ports/defences.ts';
import { centavos } from '#shared/core/money.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { requireDispute } from '#shared/disputes/store.ts';
import { submitDefence, submitDueDefence } from '#shared/disputes/submit.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import { testClient } from '../support/api.ts';
import { companyOne } from '../support/bank-world.ts';
import { connectionId } from '../support/connected-items.ts';
import { dueIdsOf } from '../support/due.ts';
import { each } from '../support/each.ts';
import { collectLines } from '../support/logged.ts';
import { refused } from '../support/refusals.ts';
import { runCounted } from '../support/run-jobs.ts';
import { disputesWorld } from './disputes-world.ts';

type Submitted = CommandOutcome<DefenceState>;
type Found = FoundCommand<DefenceState>;

const taken = { outcome: 'DONE', state: { status: 'SENT' } } as const;
const unknown = { outcome: 'UNKNOWN' } as const;
const unseen = { outcome: 'NEVER_SEEN' } as const;
const late = { outcome: 'REFUSED', code: 'prazo', reason: 'O prazo para defesa foi excedido.' } as const;
const claimedAt = '2026-01-15T15:00:30.000Z';
const due = 7 * 86_400;

let tested: ReturnType<typeof disputesWorld>;
let id: string;
/** What the bank says, and what it was asked: defences that it got, and look-ups. */
let bank: {
  submit: (order: DefenceOrder) => Submitted | Promise<Submitted>;
  find: () => Found | Promise<Found>;
  submitted: DefenceOrder[];
  connections: (string | undefined)[];
  lookups: number;
};
beforeEach(async () => {
  collectLines();
  tested = disputesWorld();
  await tested.world.openAccount(0);
  bank = { submit: () => taken, find: () => unseen, submitted: [], connections: [], lookups: 0 };
  tested.world.bank.defences.submit = async (order, { connection }) => {
    bank.submitted.push(order);
    bank.connections.push(connection);
    return bank.submit(order);
  };
  tested.world.bank.defences.find = async () => {
    bank.lookups += 1;
    return bank.find();
  };
  tested.world.setCapabilities({});
  id = await claimed(1);
  tested.passes(60);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Opens a dispute of a payment at the connected bank, as its list tells it. */
async function claimed(number: number, more: object = { claimId: `claim-${number}`, claimedAt }): Promise<string> {
  const endToEndId = `E00000000202601151500${String(number).padStart(11, '0')}`;
  const creditId = await tested.credits.booked(endToEndId, 10_000, { connection: connectionId });
  const context = tested.credits.context();
  const facts = {
    kind: 'FRAUD',
    reason: 'A scam.',
    dueAt: plusSeconds(context.at, due),
    amount: centavos(10_000),
  } as const;
  const claim = { ...facts, ...more };
  return (await openDispute(context, { creditId }, claim)).dispute.id;
}

const jobs = () => {
  const { bank: all, deps, dueRun } = tested.world;
  return runCounted({ ...deps, ...dueRun, bank: { ...all, ...deps.bank } }, [['DISPUTE_DEFENCE']]);
};
const waiting = () => dueIdsOf(tested.world.store, companyOne, 'DISPUTE_DEFENCE', '9999-12-31T00:00:00.000Z');
const defences = async () => (await tested.calls.record(id)).defences;
const statuses = async () => (await defences()).map(({ status }) => status);
const statusOf = async () => (await tested.calls.record(id)).status;
const unchanged = async (act: () => Promise<unknown>): Promise<void> => {
  const before = tested.world.items();
  await act();
  expect(tested.world.items()).toEqual(before);
};

describe('a defence at a connected bank', () => {
  it('is submitted with the claim and its own id, and the response has it as PENDING', async () => {
    const documents = ['https://partner.example.com/1.pdf'];
    const response = await tested.calls.defend(id, 'k', { text: 'It was delivered.', documents });
    expect(response.status, response.text).toBe(201);
    expect(response.body).toMatchObject({ status: 'PENDING', disputeId: id, text: 'It was delivered.', documents });
    const { defenceId: reference } = response.body as { readonly defenceId: string };
    expect(bank.submitted).toEqual([
      { reference, claimId: 'claim-1', claimedAt, text: 'It was delivered.', documents },
    ]);
    expect(bank.connections).toEqual([connectionId]);
  });

  it('leaves the dispute OPEN while the bank has the call', async () => {
    const seen: unknown[] = [];
    bank.submit = async () => {
      const { status, defences: made } = await tested.calls.record(id);
      seen.push(status, made[0]?.status, ...tested.calls.told());
      return taken;
    };
    await tested.calls.defend(id, 'k');
    expect(seen).toEqual(['OPEN', 'PENDING', 'DISPUTE.OPENED']);
  });

  it('a defence makes the dispute DEFENDED once the bank has it, and is notified once, in the body of the dispute', async () => {
    await tested.calls.defend(id, 'k');
    const record = await tested.calls.record(id);
    expect(record).toMatchObject({ status: 'DEFENDED', blockedAmount: { value: '100.00' } });
    expect(record.defences).toMatchObject([{ status: 'SENT' }]);
    expect(record.defences[0]).not.toHaveProperty('errorMessage');
    expect(record.statusHistory.map(({ status }) => status)).toEqual(['OPEN', 'DEFENDED']);
    expect(tested.calls.told()).toEqual(['DISPUTE.OPENED', 'DISPUTE.DEFENDED']);
    expect(tested.world.notifications().at(-1)).toMatchObject({ event: 'DISPUTE.DEFENDED', data: record });
    expect(await waiting()).toEqual([]);
    tested.consistent();
  });

  it('a defence that the bank refuses is REFUSED with the reason, without a notification, and another one may follow', async () => {
    bank.submit = () => late;
    await tested.calls.defend(id, 'k');
    expect(await defences()).toMatchObject([
      { status: 'REFUSED', errorMessage: 'prazo: O prazo para defesa foi excedido.' },
    ]);
    expect(await statusOf()).toBe('OPEN');
    expect(tested.calls.told()).toEqual(['DISPUTE.OPENED']);
    expect(await waiting()).toEqual([]);
    bank.submit = () => taken;
    tested.passes(60);
    expect((await tested.calls.defend(id, 'k2', { text: 'Another.' })).status).toBe(201);
    expect(await statuses()).toEqual(['REFUSED', 'SENT']);
    expect(tested.world.notifications().at(-1)).toMatchObject({
      data: { defences: [{ status: 'REFUSED' }, { status: 'SENT', text: 'Another.' }] },
    });
    tested.consistent();
  });

  it('a defence that the bank refused is followed by no other after the dispute was due', async () => {
    bank.submit = () => late;
    await tested.calls.defend(id, 'k');
    tested.passes(due);
    refused(await tested.calls.defend(id, 'k2'), 409, ['id:OUTSIDE_WINDOW']);
    expect(bank.submitted).toHaveLength(1);
  });

  it('shows its defences oldest first, the one that counts last', async () => {
    bank.submit = () => late;
    for (const key of ['a', 'b', 'c', 'd']) {
      expect((await tested.calls.defend(id, key, { text: key })).status).toBe(201);
      tested.passes(60);
    }
    bank.submit = () => taken;
    await tested.calls.defend(id, 'e', { text: 'e' });
    expect((await defences()).map(({ text }) => text)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('is 409 while another one is PENDING, and when the dispute is DEFENDED', async () => {
    bank.submit = () => unknown;
    await tested.calls.defend(id, 'k');
    await unchanged(async () => refused(await tested.calls.defend(id, 'k2'), 409, ['id:TRANSITION_NOT_ALLOWED']));
    expect(bank.submitted).toHaveLength(1);
    bank.find = () => taken;
    tested.passes(180);
    await jobs();
    refused(await tested.calls.defend(id, 'k3'), 409, ['id:TRANSITION_NOT_ALLOWED']);
    expect(bank.submitted).toHaveLength(1);
  });

  it('is one at the bank when many come at once, with one key or several', async () => {
    bank.submit = () => unknown;
    const keys = ['a', 'a', 'b', 'c'];
    const responses = await Promise.all(keys.map((key) => tested.calls.defend(id, key, { text: key })));
    expect(bank.submitted).toHaveLength(1);
    expect(await defences()).toHaveLength(1);
    for (const response of responses.filter(({ status }) => status !== 201)) refused(response, 409);
  });

  it('is the first answer again when it is repeated with the same key, without another call of the bank', async () => {
    const first = await tested.calls.defend(id, 'k');
    const replayed = await tested.calls.defend(id, 'k');
    expect(replayed).toMatchObject({ status: 201, headers: { 'idempotent-replayed': 'true' } });
    expect(replayed.text).toBe(first.text);
    expect(first.body).toMatchObject({ status: 'PENDING' });
    expect(await defences()).toEqual([{ ...(first.body as object), createdBy: testClient, status: 'SENT' }]);
    tested.passes(due);
    expect((await tested.calls.defend(id, 'k')).status).toBe(201);
    refused(await tested.calls.defend(id, 'k', { text: 'Another.' }), 422);
    expect(bank.submitted).toHaveLength(1);
  });

  it('has a 201 also when the bank or the table fails after the commit', async () => {
    bank.submit = () => Promise.reject(new Error('A fault of the adapter.'));
    expect((await tested.calls.defend(id, 'k')).status).toBe(201);
    expect(await statuses()).toEqual(['PENDING']);
    expect(await waiting()).toHaveLength(1);
    const other = await claimed(2);
    bank.submit = () => {
      tested.diesBefore(1);
      return taken;
    };
    expect((await tested.calls.defend(other, 'k2')).status).toBe(201);
    tested.livesAgain();
    expect(await waiting()).toHaveLength(2);
    bank.find = () => taken;
    tested.passes(180);
    await jobs();
    expect((await tested.calls.record(other)).status).toBe('DEFENDED');
    expect(await waiting()).toEqual([]);
  });
});

describe('a defence whose end is not known', () => {
  beforeEach(async () => {
    bank.submit = () => unknown;
    await tested.calls.defend(id, 'k');
    bank.lookups = 0;
  });

  it('is looked up later and found, and is not submitted again', async () => {
    expect(await waiting()).toHaveLength(1);
    bank.find = () => taken;
    tested.passes(60);
    await jobs();
    expect(bank.lookups).toBe(0);
    tested.passes(120);
    await jobs();
    expect([bank.lookups, bank.submitted.length]).toEqual([1, 1]);
    expect(await statusOf()).toBe('DEFENDED');
    expect(tested.calls.told()).toEqual(['DISPUTE.OPENED', 'DISPUTE.DEFENDED']);
    expect(await waiting()).toEqual([]);
  });

  it('is submitted again when the bank has not seen it, with the same id and text', async () => {
    bank.submit = () => taken;
    tested.passes(180);
    await jobs();
    expect(bank.submitted).toHaveLength(2);
    expect(bank.submitted[1]).toEqual(bank.submitted[0]);
    expect(await statusOf()).toBe('DEFENDED');
  });

  it('is never submitted while look-ups have no answer, and stays PENDING with its job', async () => {
    bank.find = () => unknown;
    for (let run = 0; run < 10; run += 1) {
      tested.passes(180);
      expect((await jobs()).failed).toBe(1);
    }
    expect(bank.submitted).toHaveLength(1);
    expect(await statuses()).toEqual(['PENDING']);
    expect(await waiting()).toHaveLength(1);
  });

  it('is REFUSED when the look-up shows another defence', async () => {
    bank.find = () => ({ outcome: 'REFUSED', reason: 'The bank has another defence of this claim.' });
    tested.passes(180);
    await jobs();
    expect(await defences()).toMatchObject([
      { status: 'REFUSED', errorMessage: 'The bank has another defence of this claim.' },
    ]);
    expect(await statusOf()).toBe('OPEN');
    expect(await waiting()).toEqual([]);
  });

  it('is worked on by one of two workers', async () => {
    bank.submit = () => taken;
    tested.passes(180);
    const [jobId = ''] = await waiting();
    const context = { ...tested.credits.context(), bank: tested.world.bank };
    const ends = await Promise.all([submitDueDefence(context, jobId), submitDueDefence(context, jobId)]);
    expect(ends.toSorted()).toEqual(['ENDED', 'NOTHING_TO_DO']);
    expect(bank.submitted).toHaveLength(2);
    expect(tested.calls.told()).toEqual(['DISPUTE.OPENED', 'DISPUTE.DEFENDED']);
  });

  it.each(['ACCEPTED', 'REJECTED', 'CANCELED', 'DEFENDED'] as const)(
    'a defence ends without a second notification when the dispute becomes %s meanwhile',
    async (outcome) => {
      await decideDispute(tested.credits.context(), id, { outcome });
      bank.find = () => taken;
      tested.passes(180);
      expect((await jobs()).failed).toBe(0);
      expect(await statusOf()).toBe(outcome);
      expect(await statuses()).toEqual(['SENT']);
      expect(tested.calls.told()).toEqual(['DISPUTE.OPENED', `DISPUTE.${outcome}`]);
      expect(await waiting()).toEqual([]);
      tested.consistent();
    },
  );

  it('is REFUSED, and its job ends, when the bank decided without it', async () => {
    await decideDispute(tested.credits.context(), id, { outcome: 'REJECTED' });
    bank.find = () => ({ outcome: 'REFUSED', reason: 'The bank has decided about this claim.' });
    tested.passes(180);
    expect((await jobs()).failed).toBe(0);
    expect(await statuses()).toEqual(['REFUSED']);
    expect(await waiting()).toEqual([]);
  });

  it('is taken after it was due, since it was made in time', async () => {
    tested.passes(due);
    bank.find = () => taken;
    await jobs();
    expect(await statusOf()).toBe('DEFENDED');
  });

  it('a reminder shows a defence whose end is not known', async () => {
    tested.passes(due - 47 * 3600);
    await tested.world.runDisputeJobs();
    const soon = tested.world.notifications().filter(({ event }) => event === 'DISPUTE.DUE_SOON');
    for (const { data } of each(soon)) expect(data).toMatchObject({ defences: [{ status: 'PENDING' }] });
  });
});

describe('a defence at the death of the process', () => {
  it('before the commit is none, and after it is submitted by the worker', async () => {
    tested.diesBefore(1);
    expect((await tested.calls.defend(id, 'k')).status).toBeGreaterThanOrEqual(500);
    tested.livesAgain();
    expect(await defences()).toEqual([]);
    bank.submit = () => Promise.reject(new StoreUnavailable('The process died.'));
    await tested.calls.defend(id, 'k');
    bank.submit = () => taken;
    expect(await statuses()).toEqual(['PENDING']);
    tested.passes(180);
    await jobs();
    expect(await statusOf()).toBe('DEFENDED');
    expect(tested.calls.told()).toEqual(['DISPUTE.OPENED', 'DISPUTE.DEFENDED']);
  });

  it('is submitted again by no worker after the bank had it', async () => {
    bank.submit = () => {
      tested.diesBefore(1);
      return taken;
    };
    await tested.calls.defend(id, 'k');
    tested.livesAgain();
    bank.find = () => taken;
    tested.passes(180);
    await jobs();
    expect(bank.submitted).toHaveLength(1);
    expect(await statusOf()).toBe('DEFENDED');
  });
});

describe('a defence of a dispute that the bank takes in its own app alone', () => {
  it('a defence is 409, and writes no record, for a claim that the bank does not list', async () => {
    id = await claimed(2, { reason: 'By mail.' });
    await unchanged(async () => refused(await tested.calls.defend(id, 'k'), 409));
    expect(bank.submitted).toEqual([]);
  });

  it('a defence is 409, and writes no record, at a bank without claims', async () => {
    tested.world.bank.capabilities = () => Promise.resolve({ ...allCapabilities, claims: false });
    await unchanged(async () => refused(await tested.calls.defend(id, 'k'), 409));
    expect(bank.submitted).toEqual([]);
    tested.world.setCapabilities({});
    expect((await tested.calls.defend(id, 'k')).status).toBe(201);
  });

  it('is repeated by its key also after the contract excluded claims', async () => {
    const { text } = await tested.calls.defend(id, 'k');
    tested.world.setCapabilities({ claims: false });
    expect(await tested.calls.defend(id, 'k')).toMatchObject({ status: 201, text });
  });
});

it('goes to no bank without the claim that it answers', async () => {
  const { dispute } = await requireDispute(tested.world.store, companyOne, id);
  const defence = { id: 'd', disputeId: id, text: 'Sent.', documents: [], createdAt: dispute.createdAt };
  for (const part of each(['claimId', 'claimedAt'] as const)) {
    const { [part]: _without, ...unlisted } = dispute;
    const context = { ...tested.credits.context(), bank: tested.world.bank };
    const answer = submitDefence(context, { dispute: unlisted, defence }, { again: false });
    await expect(answer).rejects.toThrow('A defence names no claim of its bank.');
  }
});

it('at the simulated bank has no status, and makes the dispute DEFENDED at once', async () => {
  const orderId = await tested.paid('10.00');
  id = await tested.calls.opened(orderId);
  const { body } = await tested.calls.defend(id, 'k');
  expect(body).not.toHaveProperty('status');
  expect(await tested.calls.record(id)).toMatchObject({ status: 'DEFENDED', defences: [body] });
  expect(bank.submitted).toEqual([]);
  expect(await waiting()).toEqual([]);
});
