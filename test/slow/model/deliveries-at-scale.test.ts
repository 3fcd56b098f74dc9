import { describe, expect, it, vi } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { openCircuit } from '#shared/webhooks/health/circuit.ts';
import { askForDrain, changeCircuit } from '#shared/webhooks/health/health.ts';
import { quantile } from '#test/bench/page.ts';
import { circuitRules } from '#test/support/circuit.ts';
import { deliveryWorld, endpoint, limits, mostAtOnce } from '#test/model/delivery-world.ts';

const secondMs = 1000;
/** Waits of others beside a host that fails: 80 of them are the write of a place, for ten notifications a second. */
const besideMs = 480;
/** Figures for the decision record: `SHOW=1`. */
const show = (...figures: readonly unknown[]): void => {
  if (process.env['SHOW'] !== undefined) process.stderr.write(`${figures.join(' ')}\n`);
};
type World = ReturnType<typeof deliveryWorld>;
describe('a slow endpoint', () => {
  it.each([
    ['1 s', 1.1, 20],
    ['2 s', 2, 20],
    ['5 s', 5, 8],
    ['9 s', 9, 4],
  ])(
    'an endpoint that responds after %s gets its notifications without a growing delay',
    async (_name, seconds, perSecond) => {
      const world = deliveryWorld(3);
      await world.open();
      world.behave(endpoint, { ms: seconds * secondMs });
      const createdMs = new Map<string, number>();
      for (let place = 0; place < 120 * perSecond; place += 1) {
        const at = (place * secondMs) / perSecond;
        createdMs.set(`d-${place}`, at);
        world.notifyAt(at, `d-${place}`);
      }
      await world.time.run(200 * secondMs);
      expect(new Set(world.deliveries().map(({ status }) => status))).toEqual(new Set(['DELIVERED']));
      const waits = world.calls.map(({ id, startMs }) => ({
        at: createdMs.get(id) ?? 0,
        wait: startMs - (createdMs.get(id) ?? 0),
      }));
      const early = waits.filter(({ at }) => at < 30 * secondMs).map(({ wait }) => wait);
      const late = waits.filter(({ at }) => at >= 30 * secondMs).map(({ wait }) => wait);
      show(
        seconds,
        perSecond,
        'early p99',
        quantile(early, 0.99),
        'late p50',
        quantile(late, 0.5),
        'p99',
        quantile(late, 0.99),
        'most',
        mostAtOnce(world.calls),
      );
      expect(quantile(early, 0.99)).toBeLessThanOrEqual(8 * secondMs);
      expect(quantile(late, 0.99)).toBeLessThanOrEqual(3 * secondMs);
      expect(world.healthEvents).toEqual([]);
    },
  );
});

describe('an endpoint that is back after an outage', () => {
  /** So many wait, and the circuit is open until the first probe. */
  const afterOutage = async (count: number): Promise<World> => {
    const world = deliveryWorld(5);
    await world.open();
    await world.givenWaiting(count);
    const at = world.clock();
    const failed = { now: at, failingSince: at, reason: 'HTTP 503' };
    await world.changeHealth((health) => {
      const open = changeCircuit(health, 'address', endpoint, true, at, (one) =>
        openCircuit(one, failed, circuitRules),
      );
      return askForDrain(open, ['type:PAYIN'], plusSeconds(at, 60), at);
    });
    return world;
  };

  it('gets what waited in growing numbers, oldest first, and what is new soon after', async () => {
    const count = Number(process.env['WAITING'] ?? 5000);
    const world = await afterOutage(count);
    const lastSecond = 150 + (20 * 60 * count) / 100_000;
    for (let place = 0; place < 5 * lastSecond; place += 1) world.notifyAt(place * 200, `n-${place}`);
    await world.time.run((lastSecond + 60) * secondMs);
    const calls = world.calls.filter(({ id }) => id.startsWith('w-'));
    const [first, last] = [calls[0]!, calls.at(-1)!];
    expect(calls).toHaveLength(count);
    // A notification that is created while others wait is sent after them; later ones are sent immediately.
    const newer = world.calls.flatMap(({ id, startMs }) => {
      const madeMs = id.startsWith('n-') ? Number(id.slice(2)) * 200 : 0;
      return madeMs > last.startMs ? [startMs - madeMs] : [];
    });
    expect(newer.length).toBeGreaterThan(250);
    expect(quantile(newer, 0.99)).toBeLessThanOrEqual(10 * secondMs);
    expect((await world.health()).circuits).toEqual([]);
    expect(first.startMs).toBeLessThan(65 * secondMs);
    const seconds = (last.startMs - first.endMs) / secondMs;
    const second = calls.filter(({ startMs }) => startMs > first.endMs).slice(0, 2);
    show('drained', count, 'in', seconds, 's; most at once', mostAtOnce(calls), 'newer p99', quantile(newer, 0.99));
    expect(mostAtOnce(calls)).toBeLessThanOrEqual(limits.perEndpoint);
    expect(second.every(({ startMs }) => startMs > first.endMs)).toBe(true);
    expect(seconds).toBeLessThanOrEqual((20 * 60 * count) / 100_000 + 10);
    calls.forEach(({ id }, place) => {
      expect(Math.abs(Number(id.slice(2)) - place)).toBeLessThanOrEqual(limits.perEndpoint);
    });
  });

  it('gets no more calls than its limit when it fails again midway, and everything once it recovers', async () => {
    const world = await afterOutage(2000);
    await world.time.run(3600 * secondMs, () => world.calls.length >= 700);
    world.behave(endpoint, 'fails');
    const from = world.calls.length;
    const at = world.time.now();
    await world.time.run(at + 30 * secondMs);
    const failed = world.calls.slice(from);
    show('relapse calls', failed.length, 'until', Math.max(...failed.map(({ startMs }) => startMs)) - at);
    expect(failed.length).toBeLessThanOrEqual(limits.perEndpoint);
    expect((await world.health()).circuits).toMatchObject([{ state: 'OPEN' }]);
    world.behave(endpoint, 'answers');
    await world.time.run(at + 3600 * secondMs);
    expect(new Set(world.deliveries().map(({ status }) => status))).toEqual(new Set(['DELIVERED']));
  });
});

describe('a storm of answers of 500', () => {
  it('opens the circuit as soon as fifty calls have failed: what comes later spends no attempt', async () => {
    const lines: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
    const world = deliveryWorld(9);
    await world.open();
    world.behave(endpoint, 'fails');
    for (let place = 0; place < 80; place += 1) world.notifyAt(place * 25, `d-${String(place).padStart(2, '0')}`);
    await world.time.run(5 * secondMs);
    const untouched = world.deliveries().filter(({ attempts, backlog }) => attempts.length === 0 && backlog);
    show('called', world.calls.length, 'untouched', untouched.length);
    expect((await world.health()).circuits).toMatchObject([{ state: 'OPEN' }]);
    expect(untouched.length).toBeGreaterThanOrEqual(15);
    expect(lines.filter((line) => line.includes('Cannot count'))).toEqual([]);
  });
});

describe('a failing host', () => {
  it.each([
    ['one address', () => endpoint],
    ['one address for each subscription', (place: number) => `https://partner.example/hook?subscription=${place}`],
  ])('with %s has an open circuit after a few calls, and blocks no worker', async (_name, addressOf) => {
    for (const behaviour of ['dead', 'hangs'] as const) {
      const world = deliveryWorld(9);
      await world.open();
      await world.open('other', 'https://other.example/');
      world.behave('https://partner.example', behaviour);
      for (let place = 0; place < 300; place += 1)
        world.notifyAt(place * 100, `d-${place}`, { endpoint: addressOf(place) });
      for (let place = 0; place < 600; place += 1)
        world.notifyAt(place * 100, `o-${place}`, { type: 'PAYIN' }, () => ({ ok: true, ms: 50 }), 'other');
      await world.time.run(90 * secondMs);
      const dead = world.calls.filter(({ id }) => id.startsWith('d-'));
      const waits = world.calls
        .filter(({ id }) => id.startsWith('o-'))
        .map(({ id, startMs }) => startMs - Number(id.slice(2)) * 100);
      const { circuits } = await world.health();
      show(
        behaviour,
        'dead calls',
        dead.length,
        'at once',
        mostAtOnce(dead),
        'other p50',
        quantile(waits, 0.5),
        'p99',
        quantile(waits, 0.99),
        circuits.length,
        circuits
          .filter(({ state }) => state === 'OPEN')
          .map(({ name }) => name.slice(0, 7))
          .join(),
      );
      expect(circuits).toContainEqual(expect.objectContaining({ url: 'https://partner.example', state: 'OPEN' }));
      expect(dead.length).toBeLessThan(40);
      expect(waits).toHaveLength(600);
      expect(quantile(waits, 0.99)).toBeLessThan(besideMs);
    }
  });

  it('has few calls at once when it hangs in a burst to a hundred addresses, and others wait no second of it', async () => {
    const world = deliveryWorld(9);
    await world.open();
    await world.open('other', 'https://other.example/');
    world.behave('https://partner.example', 'hangs');
    for (let place = 0; place < 100; place += 1)
      world.notifyAt(2000 + place, `d-${place}`, { endpoint: `https://partner.example/hook?subscription=${place}` });
    for (let place = 0; place < 200; place += 1)
      world.notifyAt(place * 100, `o-${place}`, { type: 'PAYIN' }, () => ({ ok: true, ms: 50 }), 'other');
    await world.time.run(60 * secondMs);
    const dead = world.calls.filter(({ id }) => id.startsWith('d-'));
    const waits = world.calls
      .filter(({ id }) => id.startsWith('o-'))
      .map(({ id, startMs }) => startMs - Number(id.slice(2)) * 100);
    show('burst: at once', mostAtOnce(dead), 'other p99', quantile(waits, 0.99));
    expect(mostAtOnce(dead)).toBeLessThanOrEqual(60);
    expect(waits).toHaveLength(200);
    expect(quantile(waits, 0.99)).toBeLessThan(1000);
  });

  it('a host that answers gets a whole burst, each notification once, although most find no place at first', async () => {
    const world = deliveryWorld(9);
    await world.open();
    world.behave('https://partner.example', { ms: 300 });
    for (let place = 0; place < 300; place += 1)
      world.notifyAt(2000 + place, `d-${place}`, { endpoint: `https://partner.example/hook?subscription=${place}` });
    await world.time.run(60 * secondMs);
    const waits = world.calls.map(({ id, startMs }) => startMs - 2000 - Number(id.slice(2)));
    show(
      'burst that is answered: at once',
      mostAtOnce(world.calls),
      'p50',
      quantile(waits, 0.5),
      quantile(waits, 0.99),
    );
    expect(new Set(world.calls.map(({ id }) => id)).size).toBe(300);
    expect(world.calls).toHaveLength(300);
    expect(quantile(waits, 0.99)).toBeLessThan(10 * secondMs);
  });

  it('stays within the worker limit of its company together with 1199 others, and other companies do not wait', async () => {
    const world = deliveryWorld(9);
    await world.open();
    await world.open('other', 'https://other.example/');
    for (let place = 0; place < 1200; place += 1) {
      world.behave(`https://p${place}.example`, 'dead');
      world.notifyAt(place * 50, `d-${place}`, { endpoint: `https://p${place}.example/hook` });
      world.notifyAt(place * 50, `o-${place}`, { type: 'PAYIN' }, () => ({ ok: true, ms: 50 }), 'other');
    }
    await world.time.run(120 * secondMs);
    const dead = world.calls.filter(({ id }) => id.startsWith('d-'));
    const waits = world.calls
      .filter(({ id }) => id.startsWith('o-'))
      .map(({ id, startMs }) => startMs - Number(id.slice(2)) * 50);
    show('hosts each dead: at once', mostAtOnce(dead), 'other p99', quantile(waits, 0.99));
    expect(mostAtOnce(dead)).toBeLessThanOrEqual(limits.perCompany + 50);
    expect(waits).toHaveLength(1200);
    expect(quantile(waits, 0.99)).toBeLessThan(besideMs);
    expect((await world.health()).circuits.length).toBeLessThanOrEqual(64);
  });

  it('is called without delay at its good path when one path answers 500 and one hangs', async () => {
    const world = deliveryWorld(9);
    await world.open();
    world.behave(`${endpoint}/bad`, 'fails');
    world.behave(`${endpoint}/hung`, 'hangs');
    for (let place = 0; place < 1200; place += 1) {
      const path = ['', '/bad', '', '/hung'][place % 4] ?? '';
      world.notifyAt(place * 100, `d-${place}`, { endpoint: `${endpoint}${path}` });
    }
    await world.time.run(180 * secondMs);
    const good = world.calls.filter(({ address }) => address === endpoint);
    expect(good).toHaveLength(600);
    const waits = good.map(({ id, startMs }) => startMs - Number(id.slice(2)) * 100);
    show(
      'good path p99',
      quantile(waits, 0.99),
      (await world.health()).circuits.map(({ name, state }) => `${name.slice(0, 9)} ${state}`),
    );
    expect(quantile(waits, 0.99)).toBeLessThan(3000);
    expect((await world.health()).circuits.find(({ url }) => url === 'https://partner.example')?.state).not.toBe(
      'OPEN',
    );
  });
});

describe('many companies', () => {
  it('delay the healthy ones at most twofold when some are dead, slow or flapping', async () => {
    const settlesSeconds = Number(process.env['SETTLES'] ?? 30);
    const minutes = Number(process.env['MINUTES'] ?? 3);
    const companies = Number(process.env['COMPANIES'] ?? 50);
    const [dead, slow, flapping] = [0.1, 0.2, 0.3].map((part) => part * companies) as [number, number, number];
    const kindOf = (place: number) =>
      place < dead ? 'dead' : place < slow ? 'slow' : place < flapping ? 'flapping' : 'well';
    const run = async (isAlone: boolean): Promise<number[]> => {
      const world = deliveryWorld(17);
      for (let place = 0; place < companies; place += 1) {
        const origin = `https://p${place}.example`;
        await world.open(`c-${place}`, `${origin}/hooks`);
        const kind = kindOf(place);
        if (isAlone && kind !== 'well') continue;
        if (kind === 'dead') world.behave(origin, place % 2 === 0 ? 'dead' : 'hangs');
        if (kind === 'slow') world.behave(origin, { ms: 2000 + 200 * (place % 10) });
        if (kind === 'flapping')
          for (let minute = 0; minute < minutes; minute += 2)
            for (const [at, behaviour] of [
              [0, 'fails'],
              [1, 'answers'],
            ] as const)
              world.time.at((minute + at) * 60_000, () => {
                world.behave(origin, place % 2 === 0 && behaviour === 'fails' ? 'hangs' : behaviour);
              });
        for (let second = 0; second < minutes * 60; second += 1)
          world.notifyAt(second * 1000 + place * 5, `${place}-${second}`, { type: 'PAYIN' }, undefined, `c-${place}`);
      }
      await world.time.run((minutes * 60 + 20) * 1000);
      return (
        world.calls
          .map(({ id, startMs }) => [...id.split('-').map(Number), startMs] as [number, number, number])
          // All broken endpoints break in the same second: until their circuits are open, they take all free workers.
          .filter(([place, second]) => kindOf(place) === 'well' && second >= settlesSeconds)
          .map(([place, second, startMs]) => startMs - second * 1000 - place * 5)
      );
    };
    const alone = await run(true);
    const among = await run(false);
    show(
      'well alone',
      quantile(alone, 0.5),
      quantile(alone, 0.99),
      'among',
      quantile(among, 0.5),
      quantile(among, 0.99),
    );
    expect(among).toHaveLength((companies - flapping) * (minutes * 60 - settlesSeconds));
    expect(quantile(among, 0.99)).toBeLessThanOrEqual(2 * quantile(alone, 0.99));
  });

  it('are not delayed by a burst of one of them', async () => {
    const run = async (burst: number): Promise<number[]> => {
      const world = deliveryWorld(19);
      for (let place = 0; place < 50; place += 1) {
        await world.open(`c-${place}`, `https://p${place}.example/hooks`);
        for (let second = 0; second < 60; second += 1)
          world.notifyAt(second * 1000 + place * 20, `${place}-${second}`, { type: 'PAYIN' }, undefined, `c-${place}`);
      }
      await world.open('burst', 'https://burst.example/hooks');
      for (let place = 0; place < burst; place += 1)
        world.notifyAt(5000 + place / 10, `b-${place}`, { type: 'PAYIN' }, undefined, 'burst');
      await world.time.run(120 * 1000);
      expect(world.calls).toHaveLength(3000 + burst);
      return world.calls
        .filter(({ id }) => !id.startsWith('b'))
        .map(({ id, startMs }) => startMs - Number(id.split('-')[1]) * 1000 - Number(id.split('-')[0]) * 20);
    };
    const [alone, beside] = [await run(0), await run(Number(process.env['BURST'] ?? 3000))];
    show('alone p99', quantile(alone, 0.99), 'beside a burst', quantile(beside, 0.5), quantile(beside, 0.99));
    expect(quantile(beside, 0.99)).toBeLessThanOrEqual(2 * quantile(alone, 0.99));
  });
});
