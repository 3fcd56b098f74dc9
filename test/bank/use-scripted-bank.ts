import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import type { Connected } from '#shared/bank/connected.ts';
import type { BankConnection } from '#shared/bank/connection.ts';
import { collectErrors } from '../support/logged.ts';
import type { ScriptedBank } from './scripted-bank.ts';
import { scriptedBank } from './scripted-bank.ts';

/** A scripted bank for the tests of a file, and what each of them logs as an error. */
export function useScriptedBank(): {
  readonly server: ScriptedBank;
  readonly errors: ReturnType<typeof collectErrors>;
} {
  const used = {} as { server: ScriptedBank; errors: ReturnType<typeof collectErrors> };
  beforeAll(async () => {
    used.server = await scriptedBank(() => ({ status: 500 }));
  });
  afterAll(() => {
    used.server.close();
  });
  beforeEach(() => {
    used.errors = collectErrors();
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  return used;
}

/** A scripted bank of its own for each test of a file, and the company's connection to it. */
export function useConnectedBank(connection: Partial<BankConnection> = {}): {
  readonly server: ScriptedBank;
  readonly connected: Connected;
  /** Connects as a new process, which knows nothing of what was asked before. */
  readonly connectAgain: () => Promise<void>;
} {
  const used = {} as { server: ScriptedBank; connected: Connected };
  const connectAgain = async (): Promise<void> => {
    used.connected = await used.server.process()();
  };
  beforeEach(async () => {
    used.server = await scriptedBank(() => ({ status: 500 }), connection);
    await connectAgain();
  });
  afterEach(() => {
    used.server.close();
  });
  return Object.assign(used, { connectAgain });
}
