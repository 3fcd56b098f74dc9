import * as z from 'zod';
import { Timestamp, Uuid } from '#shared/contract/text.ts';

const Hash = z.string().regex(/^[0-9a-f]{64}$/u);
const exampleHash = '9f64a747e1b97f131fabb6b447296c9b6f0201e79fb3c5356e6c77e89b6a806a';

export const InclusionStep = z
  .strictObject({
    side: z.enum(['LEFT', 'RIGHT']).meta({ description: 'The side of `hash` at this step.' }),
    hash: Hash.meta({ description: 'The hash of the node beside.', examples: [exampleHash] }),
  })
  .meta({ description: 'A step from the leaf of an account to the root.' });

export const StatementInclusion = z
  .strictObject({
    accountId: Uuid.meta({ description: 'The account.' }),
    position: z.int().meta({ description: 'The last entry of its chain at that minute.', examples: [1] }),
    hash: Hash.meta({
      description: 'The hash of this entry.',
      examples: ['d706b8d010f59cbb25c9e6f50a5399a62676d9c62bab63019d05c82ee60b81fe'],
    }),
    path: z.array(InclusionStep).meta({ description: 'From its leaf up; empty if the root is its leaf.' }),
  })
  .meta({ description: 'Where the chain of an account ended, and its way to the root.' });

export const StatementRootRecord = z
  .strictObject({
    minute: z.string().meta({ description: 'The minute of UTC that closed.', examples: ['2026-01-15T12:05'] }),
    root: Hash.meta({
      description: 'The root of the Merkle tree (RFC 6962) of all accounts with new entries.',
      examples: [exampleHash],
    }),
    signedAt: Timestamp.meta({ description: 'When it was signed.' }),
    jws: z.string().meta({
      description:
        'Signed: `version`, `minute`, `root`, `signedAt`, and `previous`, the root before it. A compact JWS (RFC 7515) with ES256.',
      examples: ['eyJhbGciOiJFUzI1NiJ9.eyJ2ZXJzaW9uIjoxfQ.c2lnbmF0dXJl'],
    }),
    inclusion: StatementInclusion.optional().meta({ description: 'With `accountId`.' }),
  })
  .meta({ description: 'What was signed of all statements when a minute closed.' });
