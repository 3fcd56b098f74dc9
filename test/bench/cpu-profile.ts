import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';

/** CPU profiles of a process that runs already and of its threads, taken through Node's inspector. */

export type CpuProfile = z.infer<typeof CpuProfile>;
/** Profiles taken between two moments, by the name of the thread; that of the process itself is `main`. */
export type Profiled = { readonly thread: string; readonly profile: CpuProfile };

const CpuProfile = z.object({
  nodes: z.array(
    z.object({
      id: z.int(),
      callFrame: z.object({ functionName: z.string(), url: z.string(), lineNumber: z.int(), columnNumber: z.int() }),
      children: z.array(z.int()).optional(),
    }),
  ),
  samples: z.array(z.int()),
  timeDeltas: z.array(z.number()),
});
const Message = z.object({
  id: z.int().optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
});
const Attached = z.object({ sessionId: z.string(), workerInfo: z.object({ title: z.string() }) });
const FromWorker = z.object({ sessionId: z.string(), message: z.string() });
const Targets = z.array(z.object({ webSocketDebuggerUrl: z.string() }));

/** A thread that begins to be profiled first tells of all its code: that time is no part of the profile. */
const settleMs = 1000;

type Command = (method: string, params?: object) => Promise<unknown>;

/**
 * Begins to profile a process and every thread that it has now.
 * @param port Where the process opens its inspector when it is asked to (`--inspect-port`).
 * @returns What ends it, and gives the profiles.
 */
export async function startProfile(processId: number, port: number): Promise<() => Promise<readonly Profiled[]>> {
  process.kill(processId, 'SIGUSR1');
  const socket = new WebSocket(await inspectorOf(port));
  await new Promise((opened, failed) => {
    socket.addEventListener('open', opened);
    socket.addEventListener('error', () => {
      failed(new Error('The inspector does not talk.'));
    });
  });
  const workers = new Map<string, { readonly name: string; readonly session: Session }>();
  const main = openSession((text) => {
    socket.send(text);
  });
  main.on('NodeWorker.attachedToWorker', (params) => {
    const { sessionId, workerInfo } = Attached.parse(params);
    const session = openSession((message) => {
      void main.command('NodeWorker.sendMessageToWorker', { sessionId, message });
    });
    workers.set(sessionId, { name: workerInfo.title, session });
  });
  main.on('NodeWorker.receivedMessageFromWorker', (params) => {
    const { sessionId, message } = FromWorker.parse(params);
    workers.get(sessionId)?.session.receive(message);
  });
  socket.addEventListener('message', ({ data }) => {
    main.receive(String(data));
  });
  await main.command('NodeWorker.enable', { waitForDebuggerOnStart: false });
  const sessions = [{ name: 'main', session: main }, ...workers.values()];
  await Promise.all(sessions.map(({ session }) => begin(session.command)));
  await sleep(settleMs);
  return async () => {
    const profiles = await Promise.all(
      sessions.map(async ({ name, session }) => ({ thread: name, profile: await end(session.command) })),
    );
    socket.close();
    return profiles;
  };
}

async function begin(command: Command): Promise<void> {
  await command('Profiler.enable');
  await command('Profiler.start');
}

async function end(command: Command): Promise<CpuProfile> {
  const { profile } = z.object({ profile: CpuProfile }).parse(await command('Profiler.stop'));
  await command('Profiler.disable');
  return settled(profile);
}

function settled({ nodes, samples, timeDeltas }: CpuProfile): CpuProfile {
  let micros = 0;
  const from = timeDeltas.findIndex((delta) => (micros += delta) > settleMs * 1000);
  return { nodes, samples: samples.slice(from), timeDeltas: timeDeltas.slice(from) };
}

async function inspectorOf(port: number): Promise<string> {
  for (let tries = 0; tries < 100; tries += 1) {
    const answer = await fetch(`http://127.0.0.1:${port}/json/list`).catch(() => undefined);
    const [target] = answer === undefined ? [] : Targets.parse(await answer.json());
    if (target !== undefined) return target.webSocketDebuggerUrl;
    await sleep(50);
  }
  throw new Error(`Nothing was opened on port ${port}.`);
}

type Session = {
  readonly command: Command;
  readonly on: (method: string, heard: (params: unknown) => void) => void;
  readonly receive: (text: string) => void;
};

/** Commands, their answers, and events, of one thread. */
function openSession(send: (text: string) => void): Session {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const heardBy = new Map<string, (params: unknown) => void>();
  return {
    command: (method, params = {}) => {
      const id = waiting.size + 1;
      const answered = Promise.withResolvers<unknown>();
      waiting.set(id, answered);
      send(JSON.stringify({ id, method, params }));
      return answered.promise;
    },
    on: (method, heard) => heardBy.set(method, heard),
    receive: (text) => {
      const { id, method, params, result, error } = Message.parse(JSON.parse(text));
      if (method !== undefined) heardBy.get(method)?.(params);
      if (id === undefined) return;
      if (error === undefined) waiting.get(id)?.resolve(result);
      else waiting.get(id)?.reject(new Error(error.message));
    },
  };
}
