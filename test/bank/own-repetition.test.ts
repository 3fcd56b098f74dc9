import { expect, test } from 'vitest';
import { allCapabilities } from '#shared/bank/capabilities.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { commands, everyCommand } from './every-command.ts';

const kinds = [...new Set(commands.map(([kind]) => kind))];

test.each(kinds)('a bank that would carry out only a %s again gets every other lost command again', async (kind) => {
  const world = await everyCommand({ repetition: { ...allCapabilities.repetition, [kind]: 'CARRIED_OUT_AGAIN' } });
  const run = async (): Promise<readonly string[]> => {
    const sent = new Set<string>();
    world.at.call = (name, call) => {
      if (call === 'submit') sent.add(name);
    };
    world.clock.now = plusSeconds(world.clock.now, 180);
    await world.run('PAYOUT_SUBMISSION', 'REFUND_SUBMISSION', 'CREDIT_RETURN', 'CHARGE_COMMAND');
    await world.run('RECURRENCE_CANCELLATION');
    return [...sent].toSorted();
  };
  const expected = commands.filter(([other]) => other !== kind).map(([, name]) => name);
  expect(await run()).toEqual(expected.toSorted());
});
