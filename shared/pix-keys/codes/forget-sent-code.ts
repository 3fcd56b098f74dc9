import type { SentCodes } from './sender.ts';

/** Production: a code is with its holder, and nowhere else. */
export const keepSentCode: SentCodes['keepSentCode'] = () => Promise.resolve();
export const outbox: SentCodes['outbox'] = undefined;
