import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
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
