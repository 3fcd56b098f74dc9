import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from './command.ts';
import { command, listCommand, optional, required, withTrail } from './command.ts';
import { defaultRate, migrate } from './migration/migrate.ts';
import { migrations } from './migration/migrations.ts';
import { bringRestored, compareRestored, freezeCurrent, switchToRestored } from './restore/restore.ts';
import { restoreReadUnits } from './restore/compare.ts';
import * as read from './values.ts';
import { UsageError } from './values.ts';

const restored = required(read.TableName, 'The restored table; --table is the current one.', 'restored');
const whole = {
  restored,
  unitsPerSecond: optional(read.ReadUnits, `Maximum read units a second. Default ${restoreReadUnits}.`, 'read-units'),
};
const scanned = { ...whole, companyId: optional(read.Id, 'Only this company. Default all.', 'company') };

/** Commands that work on the table as a whole: it may take no entry of a trail. AWS CloudTrail records their calls. */
export const tableCommands: Readonly<Record<string, Command>> = {
  migrate: listCommand(
    'Changes the items of an entity to their next layout while the service runs. Repeated, it resumes. Without --name it lists the migrations.',
    {
      name: optional(read.Text, 'Name of the migration.'),
      rate: optional(read.ReadUnits, `Maximum read units, and changed items, a second. Default ${defaultRate}.`),
    },
    async (dependencies, { name, rate = defaultRate }) => {
      if (name === undefined) return migrations.map(({ name, entity, to }) => ({ name, entity, to }));
      const migration = migrations.find((candidate) => candidate.name === name);
      if (migration === undefined) throw new UsageError(`--name ${name} is not a migration of this release.`);
      return migrate(dependencies, migration, rate, (seconds) => sleep(seconds * 1000));
    },
    'This release has no migrations.',
  ),
  'restore:compare': listCommand(
    'Compares a restored table with the current one, by company and entity. Only reads.',
    scanned,
    ({ beside }, { restored, ...wanted }, print) => compareRestored(beside(restored), wanted, print),
    'Both tables have the same items.',
    true,
  ),
  'restore:freeze': withTrail(
    false,
    command(
      'Denies every write to the current table, before a restored one replaces it.',
      { restored, undo: optional(read.oneOf('yes', ['yes']), 'Allows writes again.') },
      ({ beside }, { restored, undo }) => freezeCurrent(beside(restored), undo !== undefined),
    ),
  ),
  'restore:bring': withTrail(
    false,
    command(
      'Copies later changes of the current table into the restored one, except lost and unreadable items. Safe to run twice.',
      {
        ...scanned,
        keep: optional(
          read.Text,
          'Entities, separated by commas, whose restored version stays where both tables have one.',
        ),
      },
      ({ beside }, { restored, ...wanted }, print) => bringRestored(beside(restored), wanted, print),
    ),
  ),
  'restore:switch': withTrail(
    false,
    command(
      'Applies the settings of the current table to the restored one, and prints the setting to deploy.',
      {
        // A switch affects all companies: it compares them all.
        ...whole,
        accept: optional(
          read.Count,
          'Number of items that may be lost: items that are missing in the restored table or differ there.',
        ),
      },
      ({ beside }, { restored, ...wanted }, print) => switchToRestored(beside(restored), wanted, print),
    ),
  ),
};
