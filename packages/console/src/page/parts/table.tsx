import type { ComponentChildren } from 'preact';
import { t } from '../language.ts';

/** A column's name and its kind. A column without a name holds actions. */
export type Column = string | readonly [name: string, kind: 'number' | 'long'];
/** A row with one cell for each column. */
export type Row = { readonly key: string | number; readonly cells: readonly ComponentChildren[] };

/** A table that scrolls. Its role is not `region`: landmarks need unique names, and its section may have the same. */
export function Table({ name, columns, rows }: { name: string; columns: readonly Column[]; rows: readonly Row[] }) {
  const known = columns.map((shown) => {
    const [column, kind = ''] = typeof shown === 'string' ? [shown] : shown;
    return { column, kind };
  });
  return (
    <div class="table" role="group" aria-label={name} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {known.map(({ column, kind }) => (
              <th key={column} scope="col" class={kind === 'number' ? kind : ''}>
                {column === '' ? <span class="unseen">{t().basics.actions}</span> : column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {cells.map((cell, at) => (
                <td key={at} class={known[at]?.kind}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
