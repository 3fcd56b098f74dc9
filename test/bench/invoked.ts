import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';

/**
 * A process that is one function in a plain Node: imports its bundle, invokes it with what it is sent, and says what
 * that took.
 */

export type Invoked = {
  readonly importMs: number;
  /** Of that, computing. */
  readonly importCpuMs: number;
  /** Memory that the import added, and that the process has at its end, megabytes. */
  readonly importMb: number;
  readonly endMb: number;
  /** Of each invocation, in order. */
  readonly invocations: readonly { readonly ms: number; readonly cpuMs: number }[];
  /** What the function wrote to its log, bytes, and how many lines. */
  readonly logBytes: number;
  readonly logLines: number;
};

const megabyte = 1_000_000;
/** What says that an invocation failed. */
const Answered = z.object({ statusCode: z.int().optional(), batchItemFailures: z.array(z.unknown()).optional() });

async function run(module: string, events: readonly unknown[]): Promise<Invoked> {
  let log = '';
  process.stdout.write = (chunk: string | Uint8Array): boolean => {
    log += String(chunk);
    return true;
  };
  const atFirstMb = process.memoryUsage.rss() / megabyte;
  const cpuAtFirst = process.cpuUsage();
  const started = performance.now();
  const { handler } = (await import(module)) as { handler: (event: unknown, context: unknown) => unknown };
  const importMs = performance.now() - started;
  const imported = process.cpuUsage(cpuAtFirst);
  const importCpuMs = (imported.user + imported.system) / 1000;
  const importMb = process.memoryUsage.rss() / megabyte - atFirstMb;
  const invocations = [];
  for (const event of events) {
    const at = performance.now();
    const before = process.cpuUsage();
    const answer = await handler(event, { getRemainingTimeInMillis: () => 10_000 });
    const { user, system } = process.cpuUsage(before);
    invocations.push({ ms: performance.now() - at, cpuMs: (user + system) / 1000 });
    const { statusCode = 200, batchItemFailures = [] } = Answered.parse(answer ?? {});
    if (statusCode > 299 || batchItemFailures.length > 0)
      throw new Error(`${module} answered ${JSON.stringify(answer)}\n${log}`);
  }
  const endMb = process.memoryUsage.rss() / megabyte;
  return {
    importMs,
    importCpuMs,
    importMb,
    endMb,
    invocations,
    logBytes: log.length,
    logLines: log.split('\n').length - 1,
  };
}

process.once('message', ({ module, events }: { module: string; events: readonly unknown[] }) => {
  run(module, events)
    .then((invoked) => process.send?.(invoked))
    .catch(async (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      await sleep(10);
      process.exit(1);
    });
});
process.once('disconnect', () => process.exit());
