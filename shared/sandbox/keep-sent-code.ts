import { keptCodeWrite } from './kept-codes.ts';
import type { SentCodes } from '../pix-keys/codes/sender.ts';

/** Outside production: the last message of a validation can be read by the simulation tool. */
export const keepSentCode: SentCodes['keepSentCode'] = async (store, companyId, sent) => {
  await store.writeOne(keptCodeWrite(companyId, sent));
};
export const outbox: SentCodes['outbox'] = () => Promise.resolve({ outcome: 'KEPT' });
