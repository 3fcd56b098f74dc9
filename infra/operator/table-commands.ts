import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from './command.ts';
import { command, optional, required } from './command.ts';
import { defaultRate, migrate } from './migration/migrate.ts';
import { migrations } from './migration/migrations.ts';
import { bringRestored, compareRestored, freezeCurrent, switchToRestored } from './restore/restore.ts';
import { restoreReadUnits } from './restore/compare.ts';
import * as read from './values.ts';
import { UsageError } from './values.ts';

const restored = required(read.TableName, 'The restored table; --table is the current one.', 'restored');
const whole = {
  restored,
  unitsPerSecond: optional(read.ReadUnits, `Most read units a second. Default ${restoreReadUnits}.`, 'read-units'),
};
const scanned = { ...whole, companyId: optional(read.Id, 'One company alone. Default all.', 'company') };

/** Commands that work on the table as a whole. */
export const tableCommands: Readonly<Record<string, Command>> = {
  migrate: command(
    'Gives the items of an entity their next layout, beside the service; repeated, it goes on. Alone it lists what there is.',
    {
      name: optional(read.Text, 'The migration.'),
      rate: optional(read.ReadUnits, `Most read units, and changed items, a second. Default ${defaultRate}.`),
    },
    async (dependencies, { name, rate = defaultRate }) => {
      if (name === undefined) return migrations.map(({ name, entity, to }) => ({ name, entity, to }));
      const migration = migrations.find((candidate) => candidate.name === name);
      if (migration === undefined) throw new UsageError(`--name ${name} is no migration of this release.`);
      return migrate(dependencies, migration, rate, (seconds) => sleep(seconds * 1000));
    },
  ),
  'restore:compare': command(
    'Compares a restored table with the current one, by company and entity. Only reads.',
    scanned,
    ({ beside }, { restored, ...wanted }, print) => compareRestored(beside(restored), wanted, print),
    true,
  ),
  'restore:freeze': command(
    'Denies every write to the current table, so that a restored one can take its place.',
    { restored, undo: optional(read.oneOf('yes', ['yes']), 'Allows writes again.') },
    ({ beside }, { restored, undo }) => freezeCurrent(beside(restored), undo !== undefined),
  ),
  'restore:bring': command(
    'Copies into the restored table what the current one got since, but for what it lost or broke. Safe to run twice.',
    {
      ...scanned,
      keep: optional(read.Text, 'Entities, with commas between, that stay as they were restored where both have them.'),
    },
    ({ beside }, { restored, ...wanted }, print) => bringRestored(beside(restored), wanted, print),
  ),
  'restore:switch': command(
    'Gives the restored table the settings of the current one, and prints what to deploy.',
    {
      // A switch is of all companies: it compares them all.
      ...whole,
      accept: optional(read.Count, 'So many items, which the restored table lacks or has otherwise, are given up.'),
    },
    ({ beside }, { restored, ...wanted }, print) => switchToRestored(beside(restored), wanted, print),
  ),
};
