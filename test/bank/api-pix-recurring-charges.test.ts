import { describe, expect, test } from 'vitest';
import { apiPixRecurringCharges } from '#shared/bank/dialects/efi/recurring-charges.ts';
import type { ChargeInstruction } from '#shared/bank/ports/recurring-charges.ts';
import { checkedRecurringCharges } from '#shared/bank/ports/recurring-charges.ts';
import { centavos } from '#shared/core/money.ts';
import { account, at, byPath, context, e2e, reference } from './bank-orders.ts';
import { useConnectedBank } from './use-scripted-bank.ts';

const used = useConnectedBank();

const path = `/v2/cobr/${reference}`;
const idRec = 'RN0908935620260115abcdefghijk';
const day = '2026-01-22';
const instruction: ChargeInstruction = {
  ...{ reference, kind: 'FIRST_ATTEMPT' as const, charge: reference, recurrenceId: idRec, receiver: account },
  ...{ amount: centavos(2990), settlementDate: day, adjustsToBusinessDay: false },
};
const attempt = (tipo: string, status = 'AGENDADA', dataLiquidacao = day) => ({
  ...{ tipo, status, dataLiquidacao, endToEndId: e2e, atualizacao: [{ status, data: at }] },
});
const cobr = (tentativas: readonly object[], more: object = {}) => ({
  ...{ txid: reference, idRec, status: 'ATIVA', tentativas, ...more },
});
const has = (body: object): void => {
  used.server.answers(byPath({ [`GET ${path}`]: { status: 200, body } }));
};
const ports = () => checkedRecurringCharges(apiPixRecurringCharges(used.connected));

describe('the request of a recurring charge by API Pix', () => {
  const asked = async (more: Partial<ChargeInstruction>): Promise<unknown> => {
    used.server.answers(() => ({ status: 201, body: cobr([attempt('AGND')]) }));
    await ports().schedule.submit({ ...instruction, ...more }, context);
    return used.server.asked[0]?.body;
  };

  test.each([true, false])(
    'has %s as ajusteDiaUtil when its adjustsToBusinessDay is that',
    async (adjustsToBusinessDay) => {
      expect(await asked({ adjustsToBusinessDay })).toMatchObject({ ajusteDiaUtil: adjustsToBusinessDay });
    },
  );

  test('has the first 140 characters of its description, and no text when that is empty', async () => {
    expect(await asked({ description: `${'x'.repeat(140)}y` })).toMatchObject({ infoAdicional: 'x'.repeat(140) });
    used.server.asked.length = 0;
    expect(await asked({ description: '' })).not.toHaveProperty('infoAdicional');
  });

  test('is not sent after a settlement error, because the bank sends the charge again by itself', async () => {
    const { schedule } = ports();
    const resend = { ...instruction, kind: 'RESEND_DUE_TO_SETTLEMENT_ERROR' } as const;
    expect(await schedule.submit(resend, context)).toMatchObject({ outcome: 'NOT_NOW' });
    expect(used.server.asked).toEqual([]);
  });
});

describe('the look-up of a recurring charge', () => {
  const moved = cobr([attempt('AGND', 'SOLICITADA', '2026-01-23')], { calendario: { dataDeVencimento: '2026-01-23' } });

  test('finds one whose day the bank has moved, if the bank may move it', async () => {
    has(moved);
    const movable = { ...instruction, adjustsToBusinessDay: true };
    expect(await ports().schedule.find(movable, context)).toMatchObject({ outcome: 'DONE' });
    expect(await ports().schedule.find(instruction, context)).toEqual({ outcome: 'UNKNOWN' });
  });

  const later = { ...instruction, kind: 'NEW_ATTEMPT_AFTER_DUE_DATE' } as const;
  test.each([
    ['only the first attempt', [attempt('AGND', 'EXPIRADA', '2026-01-20')]],
    ['a first attempt of the same day', [attempt('AGND', 'EXPIRADA')]],
    [
      'a new attempt of another day',
      [attempt('AGND', 'EXPIRADA', '2026-01-20'), attempt('NTAG', 'EXPIRADA', '2026-01-21')],
    ],
  ])('does not take %s for a new attempt of its day', async (_what, tentativas) => {
    has(cobr(tentativas));
    expect(await ports().schedule.find(later, context)).toEqual({ outcome: 'NEVER_SEEN' });
  });

  test('finds a resend by its place among those of the day', async () => {
    const resend = (place: number) => ({ ...later, kind: 'RESEND_DUE_TO_SETTLEMENT_ERROR' as const, resend: place });
    const outcomes = () =>
      Promise.all([1, 2].map(async (place) => (await ports().schedule.find(resend(place), context)).outcome));
    has(cobr([attempt('AGND', 'CANCELADA'), attempt('RIFL', 'CANCELADA')]));
    expect(await outcomes()).toEqual(['DONE', 'NEVER_SEEN']);
    has(cobr([attempt('AGND', 'CANCELADA'), attempt('RIFL', 'CANCELADA'), attempt('RIFL')]));
    expect(await outcomes()).toEqual(['DONE', 'DONE']);
  });

  test('finds a new attempt of its day, although the charge is due on another', async () => {
    const calendario = { dataDeVencimento: '2026-01-20' };
    has(cobr([attempt('AGND', 'EXPIRADA', '2026-01-20'), attempt('NTAG')], { calendario }));
    expect(await ports().schedule.find(later, context)).toMatchObject({ outcome: 'DONE' });
  });
});

describe('the look-up of a withdrawal', () => {
  const withdrawal = { ...instruction, reason: 'REQUESTED_BY_RECEIVER' };
  const found = async (...tentativas: readonly object[]) => {
    has(cobr(tentativas));
    return (await ports().withdraw.find(withdrawal, context)).outcome;
  };

  test.each(['SOLICITADA', 'AGENDADA'])('does not find it while the attempt is %s', async (status) => {
    expect(await found(attempt('AGND', status))).toBe('NEVER_SEEN');
  });

  test.each(['PAGA', 'REJEITADA', 'EXPIRADA', 'CANCELADA'])('finds it once the attempt is %s', async (status) => {
    expect(await found(attempt('AGND', status))).toBe('DONE');
  });

  test('is about the first attempt, whatever its day, and finds none where there is no such attempt', async () => {
    expect(await found(attempt('AGND', 'CANCELADA', '2026-01-23'))).toBe('DONE');
    expect(await found(attempt('NTAG', 'CANCELADA'))).toBe('NEVER_SEEN');
    expect(await found()).toBe('NEVER_SEEN');
  });
});
