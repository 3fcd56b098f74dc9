import { centavos } from '#shared/core/money.ts';
import type { ChargeOrder, ChargeState } from '#shared/bank/ports/charges.ts';
import type { Books, Dated, Draws } from './bank-books.ts';
import { presentOf } from './bank-books.ts';
import type { PayInAnswer } from './bank-partner.ts';
import type { VirtualTime } from './virtual-time.ts';

type PayableCharge = {
  readonly order: Pick<ChargeOrder, 'amount' | 'expireDateTime'>;
  readonly history: readonly Dated<ChargeState>[];
};
/** What payers need of a bank. */
export type PayableBooks<Charge> = Pick<Books, 'now' | 'newNumber' | 'payCharge'> & {
  readonly charges: { readonly get: (txid: string) => Charge | undefined };
  readonly moveCharge: (charge: Charge, state: Partial<ChargeState>) => void;
};

/** Those who see a QR code: they pay, pay twice, pay too late or never; and a bank may drop a charge. */
export function payersOf<Charge extends PayableCharge>({
  time,
  draws,
  books,
}: {
  time: VirtualTime;
  draws: Draws;
  books: PayableBooks<Charge>;
}) {
  const pay = (txid: string, mustNotify = false): void => {
    const charge = books.charges.get(txid);
    if (charge === undefined) return;
    const { amount: asked, expireDateTime } = charge.order;
    if (!mustNotify && books.now() > expireDateTime) return;
    const amount = draws.chance(0.05) ? centavos(asked - 1) : asked;
    const paid = books.payCharge(txid, { endToEndId: books.newNumber(), amount, at: books.now() }, mustNotify);
    if (paid && draws.chance(0.1))
      time.at(time.now() + draws.between(0, 1_200_000), () => {
        pay(txid, true);
      });
  };
  return {
    see: ({ conciliationId }: Pick<PayInAnswer, 'conciliationId'>): void => {
      const within = draws.between(1000, 1_200_000);
      if (draws.chance(0.65))
        time.at(time.now() + within, () => {
          pay(conciliationId);
        });
      else if (draws.chance(0.1))
        time.at(time.now() + within, () => {
          const charge = books.charges.get(conciliationId);
          if (charge && presentOf(charge).status === 'ACTIVE') books.moveCharge(charge, { status: 'DROPPED' });
        });
    },
  };
}
