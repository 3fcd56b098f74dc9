import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectTo, endpointsIn, spawnProbe } from '../probe/probe-process.ts';
import type { Probe } from '../probe/start-probe.ts';
import { handlesOf, startProbe } from '../probe/start-probe.ts';

const folder = mkdtempSync(join(tmpdir(), 'probe-events-'));
let environment: Probe;
let probe: ReturnType<typeof handlesOf>;
const longPoll = { interval: 20 };

beforeAll(async () => {
  environment = await startProbe(folder);
  probe = handlesOf(environment);
});
afterAll(async () => {
  await environment.stop();
  rmSync(folder, { recursive: true });
});

describe('stream of the table', () => {
  test('delivers an accepted item to the function as a Lambda record within a second', async () => {
    await probe.putItem('warm-up', 'DELIVERY');
    await expect.poll(() => probe.noteOf('stream#warm-up'), longPoll).toBeDefined();
    const tookMs: number[] = [];
    for (const id of ['d-1', 'd-2', 'd-3']) {
      await probe.putItem(id, 'DELIVERY');
      const written = performance.now();
      await expect.poll(() => probe.noteOf(`stream#${id}`), { ...longPoll, interval: 2 }).toBeDefined();
      tookMs.push(performance.now() - written);
    }
    // What else the machine does may hold up one of them.
    expect(Math.min(...tookMs)).toBeLessThan(1000);
    expect((await probe.noteOf('stream#d-1'))?.['record']).toMatchObject({
      eventName: 'INSERT',
      eventSource: 'aws:dynamodb',
      awsRegion: 'sa-east-1',
      eventSourceARN: expect.stringMatching(
        /^arn:aws:dynamodb:sa-east-1:000000000000:table\/Probe-Data-Table.*\/stream\//,
      ),
      dynamodb: { NewImage: { PK: { S: 'd-1' } }, ApproximateCreationDateTime: expect.any(Number) },
    });
  });
});

describe.concurrent('filters and failures of the stream', () => {
  test('a record of another entity never reaches the function, and neither does a modified item', async ({
    expect: expects,
  }) => {
    await probe.putItem('other-1', 'ORDER');
    await probe.putItem('changed-1', 'ORDER');
    await probe.putItem('changed-1', 'DELIVERY');
    await probe.putItem('after-1', 'DELIVERY_SENDING');
    await expects.poll(() => probe.noteOf('stream#after-1'), longPoll).toBeDefined();
    expects(await probe.noteOf('stream#other-1')).toBeUndefined();
    expects(await probe.noteOf('stream#changed-1')).toBeUndefined();
  });

  test('a record that is reported once is tried again; a poisonous one ends in the queue of failures, alone', async ({
    expect: expects,
  }) => {
    await probe.putItem('before', 'DELIVERY');
    await probe.putItem('again', 'DELIVERY', 'once');
    await probe.putItem('poison', 'DELIVERY', 'poison');
    await probe.putItem('behind', 'DELIVERY');
    for (const id of ['before', 'again', 'behind']) {
      await expects.poll(() => probe.noteOf(`stream#${id}`), longPoll).toBeDefined();
    }
    await expects.poll(() => probe.peek('Discarded'), { ...longPoll, interval: 100 }).toHaveLength(1);
    expects(await probe.noteOf('stream#poison')).toBeUndefined();
  });
});

describe.concurrent('delivery queue', () => {
  test('a message that keeps failing is received five times, then it is a dead letter; its neighbours are done with', async ({
    expect: expects,
  }) => {
    await Promise.all([probe.send('fails', 'fail'), probe.send('good', 'ok'), probe.send('throws', 'throw')]);
    await expects.poll(() => probe.noteOf('queue#good#1'), longPoll).toBeDefined();
    await expects
      .poll(() => probe.peek('DeadLetters'), { ...longPoll, interval: 500 })
      .toEqual(
        expects.arrayContaining([
          { id: 'fails', mode: 'fail' },
          { id: 'throws', mode: 'throw' },
        ]),
      );
    const receives = await Promise.all([1, 2, 3, 4, 5, 6].map((count) => probe.noteOf(`queue#fails#${count}`)));
    expects(receives.map((note) => note !== undefined)).toEqual([true, true, true, true, true, false]);
    expects(await probe.peek('Deliveries')).toEqual([]);
  });

  test('no more batches are processed concurrently than the mapping allows', async ({ expect: expects }) => {
    const ids = Array.from({ length: 14 }, (_, index) => `slow-${index}`);
    await Promise.all(ids.map((id) => probe.send(id, 'slow')));
    const running: number[] = [];
    for (const id of ids) {
      await expects.poll(() => probe.noteOf(`queue#${id}#1`), longPoll).toBeDefined();
      running.push(Number((await probe.noteOf(`queue#${id}#1`))?.['running']));
    }
    expects(Math.max(...running)).toBe(3);
  });
});

describe('the environment as a process', () => {
  test('a function can be invoked by the name of its construct', async () => {
    expect(await environment.invoke('Tick', { name: 'by hand' })).toMatchObject({
      ok: true,
      payload: { name: 'by hand' },
    });
    await expect(environment.invoke('Tock', {})).rejects.toThrow('no function Tock');
  });

  test('is refused when another one uses the same folder', async () => {
    await expect(startProbe(folder)).rejects.toThrow(`${folder} is in use`);
  });

  test('keeps table, messages and dead letters through kill -9, and does not replay the stream', async () => {
    const ground = mkdtempSync(join(tmpdir(), 'probe-kill-'));
    const first = await spawnProbe(ground);
    const before = await connectTo(ground);
    await before.putItem('kept', 'DELIVERY');
    await before.send('dead', 'ok', 'DeadLetters');
    await expect.poll(() => before.noteOf('stream#kept'), longPoll).toMatchObject({ process: first.pid });
    // The batch of the next one begins when that of the first is done with, checkpoint and all.
    await before.putItem('next', 'DELIVERY');
    await expect.poll(() => before.noteOf('stream#next'), longPoll).toBeDefined();
    await before.putItem('last', 'DELIVERY');
    // It is in work when the process dies, however fast the machine is.
    const death = once(first, 'exit');
    // The reply may die with the process.
    await before.send('in-work', 'kill').catch(() => undefined);
    expect(await death).toEqual([null, 'SIGKILL']);
    before.close();
    await expect.poll(() => fetch(endpointsIn(ground).dynamodb).catch(() => 'gone'), longPoll).toBe('gone');

    const second = await spawnProbe(ground);
    const after = await connectTo(ground);
    expect(await after.peek('DeadLetters')).toContainEqual({ id: 'dead', mode: 'ok' });
    await expect.poll(() => after.noteOf('stream#last'), longPoll).toBeDefined();
    await after.putItem('fresh', 'DELIVERY');
    await expect.poll(() => after.noteOf('stream#fresh'), longPoll).toBeDefined();
    expect(await after.noteOf('stream#kept')).toMatchObject({ process: first.pid });
    await expect.poll(() => after.noteOf('queue#in-work#2'), longPoll).toBeDefined();
    after.close();

    // Ends as asked, the engine with it: far sooner than what would have to kill it waits.
    const { dynamodb } = endpointsIn(ground);
    const asked = performance.now();
    second.kill('SIGTERM');
    expect(await once(second, 'exit')).toEqual([0, null]);
    expect(performance.now() - asked).toBeLessThan(8000);
    await expect(fetch(dynamodb)).rejects.toThrow();
    rmSync(ground, { recursive: true });
  });

  test('can be stopped and started again, also within one process', async () => {
    await probe.send('waiting', 'ok', 'DeadLetters');
    await environment.stop();
    environment = await startProbe(folder);
    expect(await environment.invoke('Tick', { name: 'again' })).toMatchObject({ ok: true });
    expect(await handlesOf(environment).peek('DeadLetters')).toContainEqual({ id: 'waiting', mode: 'ok' });
  });
});
