type Kind = 'stateDiagram-v2' | 'sequenceDiagram';

/** Returns a drawing as Mermaid text. Its title is shown, and named to screen readers. */
export function mermaid(kind: Kind, title: string, lines: readonly string[]): string {
  const indented = [`accTitle: ${title}`, ...lines].map((line) => `  ${line}`);
  return ['---', `title: "${title}"`, '---', kind, ...indented, ''].join('\n');
}
