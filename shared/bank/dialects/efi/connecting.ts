import * as z from 'zod';
import { accountAt } from '#shared/bank/calls/outcomes.ts';
import type { Connected } from '#shared/bank/connected.ts';
import type { Connecting } from '../manifest.ts';

/** `tipoConta` of the receiver of a cobr (API Pix). */
const receiverAccountTypes = ['CORRENTE', 'POUPANCA', 'PAGAMENTO'] as const;

/** An account as API Pix and Efí name it. `convenio`: contract of PIX Automático, where the bank has several. */
const EfiAccount = z.object({
  /** PIX key of the account at this bank: cobs name it as their key, payouts as the payer's. */
  chave: z.string(),
  agencia: z.string(),
  conta: z.string(),
  tipoConta: z.enum(receiverAccountTypes, `must be one of ${receiverAccountTypes.join(', ')}`),
  convenio: z.string().exactOptional(),
});

/** Where Efí issues tokens. */
export const EfiAddress = z.object({ tokenUrl: z.string() });

/** The company's account at its bank. @throws NotConnected */
export function efiAccount(connected: Connected, owner: { readonly id: string }): z.output<typeof EfiAccount> {
  return EfiAccount.parse(accountAt(connected, owner));
}

export const connecting: Connecting = {
  connection: EfiAddress.extend({ callbackSubject: z.string() }),
  account: EfiAccount,
  files: z.object({
    clientSecret: z.string(),
    certificate: z.string(),
    key: z.string(),
    authorities: z.string().exactOptional(),
  }),
  /** Branch and number without leading zeros. */
  placeOf: (account) => {
    const { agencia, conta } = EfiAccount.parse(account);
    const bare = (text: string): string => text.replace(/^0+(?=.)/u, '').toUpperCase();
    return `${bare(agencia)} ${bare(conta)}`;
  },
};
