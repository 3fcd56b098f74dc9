/** Light colors, and dark ones on a dark system. The background is drawn, so that any page leaves the text readable. */
const style = `
  text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #1f2328; }
  .title { font: 600 15px system-ui, sans-serif; }
  .head { font: 600 13px system-ui, sans-serif; text-anchor: middle; }
  .middle { text-anchor: middle; }
  .quiet { fill: #59636e; }
  .paper { fill: #ffffff; }
  .box { fill: #f6f8fa; stroke: #818b98; }
  .final { stroke-width: 2; }
  .line { fill: none; stroke: #59636e; stroke-width: 1.2; }
  .life { stroke: #d1d9e0; }
  .dashed { stroke-dasharray: 5 4; }
  .event { stroke: #0550ae; stroke-width: 2; }
  .told { fill: #0550ae; }
  .tip { fill: #59636e; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .quiet { fill: #9198a1; }
    .paper { fill: #0d1117; }
    .box { fill: #151b23; stroke: #656c76; }
    .line { stroke: #9198a1; }
    .life { stroke: #3d444d; }
    .event { stroke: #58a6ff; }
    .told { fill: #79c0ff; }
    .tip { fill: #9198a1; }
  }`;

/** Width of a letter of the drawings, and height of a line, pixels. */
export const letter = 7.25;
export const lineHeight = 16;

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** One text at a place; `kind` names classes. */
export function label(x: number, y: number, text: string, kind = ''): string {
  return `<text x="${round(x)}" y="${round(y)}"${kind && ` class="${kind}"`}>${escape(text)}</text>`;
}

export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

type Drawing = {
  readonly title: string;
  /** Text alternative of the drawing, for screen readers. */
  readonly text: string;
  readonly width: number;
  readonly height: number;
  readonly parts: readonly string[];
};

/** Returns a standalone drawing: it loads nothing, and has its colours for light and dark. */
export function svg({ title, text, width, height, parts }: Drawing): string {
  const [w, h] = [Math.ceil(width), Math.ceil(height)];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" role="img" aria-labelledby="title words">
<title id="title">${escape(title)}</title>
<desc id="words">${escape(text)}</desc>
<style>${style}
</style>
<defs>
<marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto"><path class="tip" d="M0 0L10 5L0 10z"/></marker>
<marker id="told" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="6" markerHeight="6" orient="auto"><path class="told" d="M0 0L10 5L0 10z"/></marker>
</defs>
<rect class="paper" width="${w}" height="${h}" rx="8"/>
${label(24, 32, title, 'title')}
${parts.join('\n')}
</svg>
`;
}
