import * as dagre from '@dagrejs/dagre';

type Size = { readonly width: number; readonly height: number };
export type Placed = Size & { readonly x: number; readonly y: number };
export type PlacedEdge = Placed & { readonly points: readonly Pick<Placed, 'x' | 'y'>[] };

type Graph = {
  readonly setGraph: (settings: object) => void;
  readonly setNode: (name: string, size: Size) => void;
  readonly setEdge: (from: string, to: string, label: Size & { readonly labelpos: 'c' }) => void;
  readonly graph: () => Partial<Size>;
  readonly node: (name: string) => Placed;
  readonly edge: (from: string, to: string) => PlacedEdge;
};

/** The used part of the package. Its own types import each other without file extensions, which this compiler needs. */
const { Graph, layout } = dagre as unknown as {
  readonly Graph: new () => Graph;
  readonly layout: (graph: Graph) => void;
};

type Edge = { readonly from: string; readonly to: string } & Size;

/** Places boxes and the captions of their edges from left to right. Positions are those of their centers, in pixels. */
export function place(nodes: ReadonlyMap<string, Size>, edges: readonly Edge[]) {
  const graph = new Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 26, edgesep: 22, ranksep: 34, marginx: 24, marginy: 0 });
  for (const [name, size] of nodes) graph.setNode(name, size);
  for (const { from, to, ...size } of edges) graph.setEdge(from, to, { ...size, labelpos: 'c' });
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return { width, height, node: graph.node.bind(graph), edge: graph.edge.bind(graph) };
}
