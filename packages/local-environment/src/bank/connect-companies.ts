import type { BankName } from '@banking-order/fake-bank';
import { connectToApiPix } from './api-pix.ts';
import type { Front, Ground } from './connecting.ts';
import { connectToQiTech } from './qitech.ts';

/** The fake bank that runs beside the service, and the file with its connection details. */
export type FakeBank = { readonly name: BankName; readonly connectionFile: string };

const connectTo = { 'api-pix': connectToApiPix, qitech: connectToQiTech } as const satisfies Record<
  BankName,
  (ground: Ground) => Promise<Front>
>;

/** Connects companies to the fake bank. @throws LocalStartError */
export function connectCompanies({
  bank: { name, connectionFile: bankFile },
  ...ground
}: Omit<Ground, 'bankFile'> & { readonly bank: FakeBank }): Promise<Front> {
  return connectTo[name]({ ...ground, bankFile });
}
