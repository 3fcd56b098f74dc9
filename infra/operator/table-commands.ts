import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from './command.ts';
import { command, optional } from './command.ts';
import { defaultRate, migrate } from './migration/migrate.ts';
import { migrations } from './migration/migrations.ts';
import * as read from './values.ts';
import { UsageError } from './values.ts';

/** What works on the table as a whole. */
export const tableCommands: Readonly<Record<string, Command>> = {
  migrate: command(
    'Gives the items of an entity their next layout, beside the service; repeated, it goes on. Alone it lists what there is.',
    {
      name: optional(read.Text, 'The migration.'),
      rate: optional(read.ReadUnits, `Most read units, and changed items, a second. Default ${defaultRate}.`),
    },
    async (dependencies, { name, rate = defaultRate }) => {
      if (name === undefined) return migrations.map(({ name, entity, to }) => ({ name, entity, to }));
      const migration = migrations.find((one) => one.name === name);
      if (migration === undefined) throw new UsageError(`--name ${name} is no migration of this release.`);
      return migrate(dependencies, migration, rate, (seconds) => sleep(seconds * 1000));
    },
  ),
};
