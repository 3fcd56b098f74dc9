import type { Dialect } from './dialect.ts';
import * as efi from './efi/manifest.ts';
import type { Manifest } from './manifest.ts';
import { published } from './qitech/capabilities.ts';
import * as qitech from './qitech/manifest.ts';

/*
 * The only file that lists the dialects. Each part has a table of its own: a dialect that lacks a part does not
 * compile, and a bundle holds only the parts that it uses.
 */

type TableOf<Part extends keyof Manifest> = Readonly<Record<Dialect, NonNullable<Manifest[Part]>>>;
/** A part that a dialect may lack. */
type SomeOf<Part extends keyof Manifest> = Partial<TableOf<Part>>;

export const capabilities: TableOf<'capabilities'> = { EFI: efi.capabilities, QITECH: qitech.capabilities };
export const connecting: TableOf<'connecting'> = { EFI: efi.connecting, QITECH: qitech.connecting };
export const open: TableOf<'open'> = { EFI: efi.open, QITECH: qitech.open };
export const charges: SomeOf<'charges'> = { EFI: efi.charges };
export const defences: SomeOf<'defences'> = { EFI: efi.defences };
export const directory: TableOf<'directory'> = { EFI: efi.directory, QITECH: qitech.directory };
export const keys: SomeOf<'keys'> = {};
export const payouts: TableOf<'payouts'> = { EFI: efi.payouts, QITECH: qitech.payouts };
export const recurrences: SomeOf<'recurrences'> = { EFI: efi.recurrences };
export const recurringCharges: SomeOf<'recurringCharges'> = { EFI: efi.recurringCharges };
export const refunds: SomeOf<'refunds'> = { EFI: efi.refunds, QITECH: qitech.refunds };
export const reader: TableOf<'reader'> = { EFI: efi.reader, QITECH: qitech.reader };
export const parseCallback: SomeOf<'parseCallback'> = { EFI: efi.parseCallback };
export const parseSecret: TableOf<'parseSecret'> = { EFI: efi.parseSecret, QITECH: qitech.parseSecret };
export const check: TableOf<'check'> = { EFI: efi.check, QITECH: qitech.check };

/** What banks can do that the simulated one can stand for, also such as the service does not speak to yet. */
export const profiles = { EFI: efi.capabilities, QITECH: published } as const;
