import { randomUUID } from 'node:crypto';
import { fc } from '#test/support/properties.ts';
import { expect, test } from 'vitest';
import { centsOfReais, reais } from '#fake-bank/amounts.ts';
import type { stateOf } from '#fake-bank/qitech/control/actions.ts';
import { pixTarget } from './examples.ts';
import { openTestBank } from './open-bank.ts';

const opening = 5000;

const amount = fc.oneof(fc.integer({ min: 1, max: 3000 }), fc.constant(1000));
/** Which of the commands so far, around again at the end of them. */
const pick = fc.nat({ max: 20 });
/** A used key in one of four commands. */
const used = fc.oneof({ arbitrary: fc.constant(null), weight: 3 }, { arbitrary: pick, weight: 1 });
const step = fc.oneof(
  fc.record({ does: fc.constant('pix' as const), amount, pick: used }),
  fc.record({ does: fc.constant('ted' as const), amount, pick: used }),
  fc.record({ does: fc.constant('refund' as const), amount, of: pick, pick: used }),
  fc.record({ does: fc.constant('pay' as const), amount }),
  fc.record({
    does: fc.constantFrom('settle-pix' as const, 'settle-ted' as const, 'settle-reversal' as const),
    pick,
    isSent: fc.boolean(),
  }),
  fc.record({ does: fc.constant('return-pix' as const), pick, amount }),
);
const settings = fc.record({
  repeatedKey: fc.constantFrom('REFUSED', 'FIRST_ANSWER', 'PAID_AGAIN'),
  pixAnswer: fc.constantFrom('SENT', 'PENDING', 'PENDING', 'REJECTED'),
  tedAnswer: fc.constantFrom('SENT', 'PENDING', 'PENDING', 'REJECTED'),
  reversalAnswer: fc.constantFrom('SENT', 'PENDING'),
  lowBalance: fc.constantFrom('REFUSED', 'REJECTED'),
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Returns an item of a list, around again at its end; undefined for an empty one. */
const picked = <T>(list: readonly T[], at: number): T | undefined => list[at % Math.max(1, list.length)];

/** Does steps one after the other; what the bank refuses changes nothing. */
async function walk(bank: ReturnType<typeof openTestBank>, steps: readonly Step[]): Promise<void> {
  const keys: Record<string, string[]> = { pix: [], ted: [], refund: [] };
  const keyOf = (kind: 'pix' | 'ted' | 'refund', at: number | null): string => {
    const before = at === null ? undefined : picked(keys[kind]!, at);
    if (before === undefined) keys[kind]!.push(randomUUID());
    return before ?? keys[kind]!.at(-1)!;
  };
  const received: string[] = [];
  const path = `/account/${bank.account}`;
  const act = (name: string, body: object) => bank.control(name, body).catch(() => undefined);
  for (const one of steps) {
    switch (one.does) {
      case 'pix':
      case 'ted': {
        const request = {
          request_control_key: keyOf(one.does, one.pick),
          ...(one.does === 'pix' && { pix_transfer_type: 'manual' }),
          target_account: pixTarget,
          transaction_amount: reais(one.amount),
        };
        await bank.api('POST', `${path}/${one.does === 'pix' ? 'pix_transfer' : 'ted'}`, request);
        break;
      }
      case 'refund': {
        const at = picked(received, one.of) ?? randomUUID();
        const request = { request_control_key: keyOf('refund', one.pick), reversal_reason: 'client_request' };
        await bank.api('POST', `${path}/pix_transfer/${at}/reversal`, {
          ...request,
          reversal_amount: reais(one.amount),
        });
        break;
      }
      case 'pay': {
        const [came] = await bank.control('pay', { amount: one.amount });
        received.push(String(came.pix_transfer_key));
        break;
      }
      case 'return-pix':
        await act('return-pix', { request_control_key: picked(keys['pix']!, one.pick) ?? '', amount: one.amount });
        break;
      default: {
        const kind = { 'settle-pix': 'pix', 'settle-ted': 'ted', 'settle-reversal': 'refund' }[one.does];
        await act(one.does, {
          request_control_key: picked(keys[kind]!, one.pick) ?? '',
          status: one.isSent ? 'sent' : 'rejected',
        });
      }
    }
  }
}

type State = ReturnType<typeof stateOf>;
const sum = (moved: readonly { amount: number }[]) => moved.reduce((total, one) => total + one.amount, 0);

test('no money is made or lost, for any operations and settings', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), settings, async (steps, chosen) => {
      const bank = openTestBank({ balance: opening });
      await bank.control('settings', { ...chosen, signsResponses: false });
      await walk(bank, steps);
      const state = (await bank.control('state')) as State;
      const { entries, transfers, teds, reversals, received } = state;
      const balance = state.accounts[0]!.balance;
      // What left is out unless it was rejected; a part that came back is a receipt.
      const back = reversals.filter(({ reversal_status: status }) => status !== 'rejected');
      const out = [
        ...transfers.filter(({ pix_transfer_status: status }) => status !== 'rejected'),
        ...teds.filter(({ ted_status: status }) => status !== 'rejected'),
        ...back,
      ];
      expect(balance).toBe(opening - sum(out) + sum(received));
      expect(balance).toBeGreaterThanOrEqual(0);
      // The statement says the same, line by line.
      const lines = entries.map((_, index) => opening + sum(entries.slice(0, index + 1)));
      expect(entries.map(({ account_balance: after }) => after)).toEqual(lines);
      expect(lines.at(-1) ?? opening).toBe(balance);
      // Nothing comes back that was not sent, nor more of it.
      for (const { pix_transfer_key: key, pix_transfer_status: status, amount: most } of transfers)
        expect(sum(received.filter(({ original }) => original === key))).toBeLessThanOrEqual(
          status === 'sent' ? most : 0,
        );
      for (const { pix_transfer_key: key, amount: most } of received)
        expect(sum(back.filter(({ received: of }) => of === key))).toBeLessThanOrEqual(most);
    }),
    { numRuns: 60 },
  );
});

test('an amount is a number of reais and the same centavos again, and one of three decimals is none', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 999_999_999_999 }), (centavos) => {
      const text = JSON.stringify(reais(centavos));
      expect(text).toMatch(/^\d+(?:\.\d{1,2})?$/u);
      expect(centsOfReais(JSON.parse(text) as number)).toBe(centavos);
    }),
  );
  expect([500.65, 0.01, 8.86, 126.97, 22_403.11].map(centsOfReais)).toEqual([50_065, 1, 886, 12_697, 2_240_311]);
  expect([0.001, 1.005, 0.1 + 0.2, Number.MAX_VALUE].map(centsOfReais)).toEqual(Array(4).fill(undefined));
});
