import * as z from 'zod';
import { accountOperations } from './accounts.ts';
import { directoryOperations } from './directory.ts';
import { pixTransferOperations } from './pix-transfers.ts';
import { reversalOperations } from './reversals.ts';
import type { Operation } from './session.ts';
import { tedOperations } from './teds.ts';

/** The bank's test of signatures (QI Tech, “Endpoints de teste”). */
const testOperations: readonly Operation[] = (['/test', '/test/:api_client_key'] as const).flatMap((path) => [
  { method: 'GET', path, run: () => ({ status: 200, body: { success: 'Congrats!' } }) },
  {
    method: 'POST',
    path,
    run: (_session, { body }) => ({
      status: 200,
      body: { ...z.looseObject({}).safeParse(body).data, success: 'Congrats!' },
    }),
  },
]);

/** All operations of the bank. */
export const operations: readonly Operation[] = [
  ...testOperations,
  ...accountOperations,
  ...directoryOperations,
  ...pixTransferOperations,
  ...reversalOperations,
  ...tedOperations,
];
