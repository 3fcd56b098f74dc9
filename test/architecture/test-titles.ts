import ts from 'typescript';
import { nodesOf } from './sources.ts';

/** Titles of the tests of a file as they are written, on one line each; of a table of tests its template. */
export function titlesIn(tree: ts.SourceFile): readonly string[] {
  return nodesOf(tree).flatMap((node) => {
    if (!ts.isCallExpression(node) || !/^(?:test|it)\b/u.test(node.expression.getText())) return [];
    const [title] = node.arguments;
    return title !== undefined && ts.isStringLiteralLike(title) && !node.expression.getText().endsWith('.each')
      ? [title.text.replaceAll(/\s+/gu, ' ')]
      : [];
  });
}
