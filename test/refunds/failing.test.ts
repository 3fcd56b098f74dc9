import { beforeEach, describe, expect, it } from 'vitest';
import type { FoundCommand } from '#shared/bank/outcome.ts';
import type { RefundState } from '#shared/bank/ports/refunds.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { applyRefundState } from '#shared/refunds/apply-state.ts';
import { RefundNotification } from '#shared/webhooks/notification.ts';
import type { Answer } from '#test/support/api.ts';
import type { World } from '#test/support/bank-world.ts';
import { account, bankWorld, companyOne, otherCompany, payInBody } from '#test/support/bank-world.ts';
import { runCounted } from '#test/support/run-jobs.ts';
import { refused } from '#test/support/refusals.ts';
import { noIds } from '#test/support/test-ids.ts';

const toRefuse = { description: 'refused@bank.example' };
type Listed = { readonly data: readonly Record<string, unknown>[] };

let world: World;
let id: string;
beforeEach(async () => {
  world = bankWorld();
  await world.openAccount(0);
  const created = await world.createPayIn({ companyId: companyOne, key: 'first', body: payInBody() });
  ({ id } = created.body as { id: string });
  await world.force(id, 'PAID');
});

const refund = (key: string, body: unknown = {}): Promise<Answer> =>
  world.refundPayIn({ companyId: companyOne, key, params: { id }, body });
const listed = async (): Promise<Listed['data']> =>
  ((await world.listRefunds({ companyId: companyOne, params: { id } })).body as Listed).data;
const balance = async (): Promise<unknown> =>
  (await world.getBalance({ companyId: companyOne, params: { accountId: account } })).body;
const statusOf = async (): Promise<unknown> =>
  ((await world.getPayIn({ companyId: companyOne, params: { id } })).body as { status: unknown }).status;

describe('a refund that the bank refuses', () => {
  it('fails: its amount is available again with an entry, and the pay-in stays paid', async () => {
    const response = await refund('r', toRefuse);
    expect(response, 'the response shows a pending refund').toMatchObject({ status: 201, body: { status: 'PENDING' } });
    expect(await balance()).toMatchObject({ available: '25.00', reserved: '0.00' });
    expect(world.items('LEDGER_ENTRY').map(({ kind }) => kind)).toEqual([
      'PAY_IN',
      'REFUND_RESERVED',
      'REFUND_RETURNED',
    ]);
    expect(await statusOf()).toBe('PAID');
  });

  it('is notified as ORDER-PAYIN.REFUND_FAILED in the layout of a refund, with refundedAt null', async () => {
    const { refundId } = (await refund('r', toRefuse)).body as { refundId: string };
    const notification = RefundNotification.parse(world.notifications().at(-1));
    const { paidAt } = (await world.getPayIn({ companyId: companyOne, params: { id } })).body as { paidAt: string };
    expect(notification).toMatchObject({
      ...{ id, event: 'ORDER-PAYIN.REFUND_FAILED', status: 'FAILED', type: 'REFUND', refundId, paidAt },
      ...{ refundedAt: null, endToEndId: null, message: 'AC06: The account of the payer is blocked.' },
    });
    const events = world.items('DELIVERY').map(({ event, target }) => ({ event, target }));
    expect(events.at(-1)).toEqual({ event: 'ORDER-PAYIN.REFUND_FAILED', target: { type: 'PAYIN_REFUND' } });
  });

  it('may be asked for again, and settles like any other', async () => {
    await refund('r1', toRefuse);
    world.clock.now = '2026-01-15T15:00:01.000Z';
    await refund('r2');
    await world.force(id, 'REFUNDED');
    expect(await statusOf()).toBe('REFUNDED');
    expect(await balance()).toMatchObject({ available: '0.00', reserved: '0.00' });
    expect((await listed()).map(({ status }) => status)).toEqual(['SETTLED', 'FAILED']);
  });

  it('is replayed as it was first answered, and asks the bank no second time', async () => {
    const first = await refund('r', toRefuse);
    const again = await refund('r', toRefuse);
    expect(again).toMatchObject({ status: 201, text: first.text, headers: { 'idempotent-replayed': 'true' } });
    expect(world.items('REFUND')).toHaveLength(1);
  });
});

describe('a refund that the bank answered with UNKNOWN', () => {
  it('is submitted again by one of two concurrent workers, even when the bank’s lookup does not show it yet', async () => {
    let submitted = 0;
    world.bank.refunds.find = () => Promise.resolve({ outcome: 'NEVER_SEEN' });
    world.bank.refunds.submit = () => {
      submitted += 1;
      return Promise.resolve({ outcome: 'UNKNOWN' });
    };
    await refund('r');
    world.clock.now = plusSeconds(world.clock.now, 121);
    const run = () => runCounted({ ...world.deps, ...world.dueRun, bank: world.bank }, [['REFUND_SUBMISSION']]);
    await Promise.all([run(), run()]);
    expect(submitted).toBe(2);
  });
});

describe('the refunds of a pay-in', () => {
  it('are listed newest first, with their descriptions and the reasons of their failure', async () => {
    await refund('r1', toRefuse);
    world.clock.now = '2026-01-15T15:00:01.000Z';
    await refund('r2', { description: 'Returned' });
    expect(await listed()).toMatchObject([
      { orderId: id, status: 'PENDING', description: 'Returned', createdAt: world.clock.now },
      { orderId: id, status: 'FAILED', ...toRefuse, errorMessage: 'AC06: The account of the payer is blocked.' },
    ]);
  });

  it('are an empty list when there are none, and 404 when the pay-in is unknown or of another company', async () => {
    expect(await listed()).toEqual([]);
    for (const payInId of [...noIds, 'aaaaaaaa-0000-4000-8000-000000000000', id.slice(0, -2) + '01'])
      refused(await world.listRefunds({ companyId: companyOne, params: { id: payInId } }), 404);
    refused(await world.listRefunds({ companyId: otherCompany, params: { id } }), 404);
  });
});

describe('the account of a refund', () => {
  it('must be active when the partner requests the refund, not when the bank creates it', async () => {
    await world.setAccountStatus('ACTIVE', 'INACTIVE');
    const before = world.items();
    refused(await refund('r'), 409, ['accountId:INVALID_VALUE']);
    expect(world.items()).toEqual(before);
    expect((await world.force(id, 'REFUNDED')).status).toBe(200);
  });
});

describe('a refund that the bank does not answer', () => {
  it('stays PENDING, and is submitted once by the worker after two minutes', async () => {
    await refund('r', { description: 'silent@bank.example' });
    expect(await listed()).toMatchObject([{ status: 'PENDING' }]);
    expect(await world.submitCommands(), 'not immediately').toEqual({ submitted: 0, failed: 0 });
    world.clock.now = '2026-01-15T15:02:00.000Z';
    expect(await world.submitCommands()).toEqual({ submitted: 1, failed: 0 });
    expect(await world.submitCommands()).toEqual({ submitted: 0, failed: 0 });
    expect(await listed()).toMatchObject([{ status: 'PENDING' }]);
  });

  it('fails when the worker looks it up and the bank refused it', async () => {
    world.bank.refunds.submit = () => Promise.resolve({ outcome: 'UNKNOWN' });
    await refund('r');
    world.bank.refunds.find = () => Promise.resolve({ outcome: 'REFUSED', code: 'AM09', reason: 'Wrong amount.' });
    world.clock.now = '2026-01-15T15:02:00.000Z';
    await world.submitCommands();
    expect(await listed()).toMatchObject([{ status: 'FAILED', errorMessage: 'AM09: Wrong amount.' }]);
    expect(await balance()).toMatchObject({ available: '25.00', reserved: '0.00' });
  });
});

describe('a refund that the bank accepted', () => {
  const pending = { outcome: 'DONE', state: { status: 'PENDING' } } as const;
  const settled = { status: 'SETTLED', returnId: 'D'.padEnd(32, '0'), at: '2026-01-15T15:00:30.000Z' } as const;
  let asked: unknown[];
  beforeEach(() => {
    asked = [];
    world.setCapabilities({ isPolled: true });
    world.bank.refunds.submit = () => Promise.resolve(pending);
  });
  const setAnswer = (found: FoundCommand<RefundState>): void => {
    world.bank.refunds.find = (order) => {
      asked.push(order);
      return Promise.resolve(found);
    };
  };
  const later = (): Promise<number> => {
    world.clock.now = plusSeconds(world.clock.now, 3600);
    return world.poll();
  };

  it.each<[string, FoundCommand<RefundState>, status: string, available: string, message?: string]>([
    ['settled it', { outcome: 'DONE', state: settled }, 'SETTLED', '0.00'],
    ['did not carry it out', { outcome: 'DONE', state: { status: 'FAILED', reason: 'No.' } }, 'FAILED', '25.00', 'No.'],
    ['refuses it', { outcome: 'REFUSED', code: 'AM09', reason: 'No.' }, 'FAILED', '25.00', 'AM09: No.'],
  ])('becomes final as soon as the bank %s, and is polled no more', async (_how, found, status, money, why) => {
    await refund('r');
    setAnswer(found);
    expect([await later(), await later(), asked.length]).toEqual([0, 0, 1]);
    expect(asked).toMatchObject([{ amount: 2500, endToEndId: expect.stringMatching(/^E/u) as string }]);
    expect(await listed()).toMatchObject([{ status, ...(why !== undefined && { errorMessage: why }) }]);
    expect(await balance()).toMatchObject({ available: money, reserved: '0.00' });
  });

  it.each<[string, FoundCommand<RefundState>, failed: number]>([
    ['reports it as pending', pending, 0],
    ['does not have it', { outcome: 'NEVER_SEEN' }, 1],
    ['does not respond', { outcome: 'UNKNOWN' }, 1],
  ])('stays PENDING, and is polled again, while the bank %s', async (_how, found, failed) => {
    await refund('r');
    setAnswer(found);
    expect([await later(), await later(), asked.length]).toEqual([failed, failed, 2]);
    expect(await listed()).toMatchObject([{ status: 'PENDING' }]);
    expect(await balance()).toMatchObject({ available: '0.00', reserved: '25.00' });
  });

  it('changes its status only by the bank’s answer about it, not by one about an earlier refund', async () => {
    world.bank.refunds.submit = () => Promise.resolve({ outcome: 'REFUSED', reason: 'No.' });
    world.bank.refunds.find = () => Promise.resolve({ outcome: 'NEVER_SEEN' });
    await refund('first');
    world.bank.refunds.submit = () => Promise.resolve(pending);
    await refund('second');
    const statuses = (): Readonly<Record<string, unknown>> =>
      Object.fromEntries(world.items('REFUND').map((one) => [one['id'] as string, one['status']]));
    const idOf = (status: string) => Object.entries(statuses()).find(([, is]) => is === status)?.[0] ?? '';
    const [failed, open] = [idOf('FAILED'), idOf('PENDING')];
    const context = { ...world.deps, companyId: companyOne, at: world.clock.now, requestId: 'r' };
    const hear = (refundId: string, state: RefundState) =>
      applyRefundState(context, { id: refundId, orderId: id }, state);
    await hear(failed, { status: 'FAILED', reason: 'No.' });
    expect(statuses()).toEqual({ [failed]: 'FAILED', [open]: 'PENDING' });
    await hear(open, settled);
    expect(statuses()).toEqual({ [failed]: 'FAILED', [open]: 'SETTLED' });
  });
});
