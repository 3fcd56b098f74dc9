import type { Dialect } from './dialect.ts';
import * as efi from './efi/manifest.ts';
import type { Manifest } from './manifest.ts';
import * as qitech from './qitech/capabilities.ts';

/*
 * The only file that lists the dialects. Each part has a table of its own: a dialect that lacks a part does not
 * compile, and a bundle holds only the parts that it uses.
 */

type TableOf<Part extends keyof Manifest> = Readonly<Record<Dialect, Manifest[Part]>>;

export const capabilities: TableOf<'capabilities'> = { EFI: efi.capabilities };
export const connecting: TableOf<'connecting'> = { EFI: efi.connecting };
export const open: TableOf<'open'> = { EFI: efi.open };
export const charges: TableOf<'charges'> = { EFI: efi.charges };
export const defences: TableOf<'defences'> = { EFI: efi.defences };
export const directory: TableOf<'directory'> = { EFI: efi.directory };
/** Dialects that register no keys are absent. */
export const keys: Partial<TableOf<'keys'>> = {};
export const payouts: TableOf<'payouts'> = { EFI: efi.payouts };
export const recurrences: TableOf<'recurrences'> = { EFI: efi.recurrences };
export const recurringCharges: TableOf<'recurringCharges'> = { EFI: efi.recurringCharges };
export const refunds: TableOf<'refunds'> = { EFI: efi.refunds };
export const reader: TableOf<'reader'> = { EFI: efi.reader };
export const parseCallback: TableOf<'parseCallback'> = { EFI: efi.parseCallback };
export const parseSecret: TableOf<'parseSecret'> = { EFI: efi.parseSecret };
export const check: TableOf<'check'> = { EFI: efi.check };

/** What banks can do that the simulated one can stand for, also such as the service does not speak to yet. */
export const profiles = { EFI: efi.capabilities, QITECH: qitech.capabilities } as const;
