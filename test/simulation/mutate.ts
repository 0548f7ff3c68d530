/**
 * Replaces a piece of TypeScript that is given as code: it is found by its syntax tree, so that neither the layout nor a comment
 * matters. The piece is an expression or a statement, and must be there once.
 */
import ts from 'typescript';

export interface Mutation {
  /** The function or method that has the piece, `name` or `Class.name`; the whole file when absent. */
  readonly in?: string;
  /** An expression when it does not end with `;` or `}`, else a statement. */
  readonly find: string;
  readonly replace: string;
}

export interface Mutant extends Mutation {
  /** What it breaks: a rule of docs/develop/architecture.md, or what the runtime promises beyond. */
  readonly rule: string;
  readonly bug: string;
  readonly file: string;
  /** What else has to be broken, where something makes up for the first. */
  readonly also?: Mutation & { readonly file: string };
}

/** The source with the piece replaced. Throws a `RangeError` when the piece is not there exactly once. */
export function mutate(source: string, { in: scope, find, replace }: Mutation): string {
  const pattern = parsePattern(find);
  const found: ts.Node[] = [];
  const search = (node: ts.Node, path: readonly string[], isInScope: boolean): void => {
    const name = getName(node);
    const inner = name === undefined ? path : [...path, name];
    const isInside = isInScope || (name !== undefined && matchesPath(scope ?? '', inner));
    if (isInside && isEqual(node, pattern)) found.push(node);
    else ts.forEachChild(node, child => search(child, inner, isInside));
  };
  const file = parse(source);
  search(file, [], scope === undefined);
  const [node] = found;
  if (node === undefined || found.length > 1) {
    throw new RangeError(`${scope ?? 'the file'} has ${found.length} times, and not once: ${find}`);
  }
  return source.slice(0, node.getStart(file)) + replace + source.slice(node.getEnd());
}

function parse(text: string): ts.SourceFile {
  return ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true);
}

function parsePattern(text: string): ts.Node {
  const [statement, ...more] = parse(text).statements;
  if (statement === undefined || more.length > 0) throw new RangeError(`not one piece of code: ${text}`);
  return ts.isExpressionStatement(statement) && !text.endsWith(';') ? statement.expression : statement;
}

/** Of a declaration that has a body, and of a class. */
function getName(node: ts.Node): string | undefined {
  const isScope = ts.isFunctionLike(node) || ts.isClassDeclaration(node);
  if (!isScope) return undefined;
  if (ts.isConstructorDeclaration(node)) return 'constructor';
  return (node as ts.NamedDeclaration).name?.getText();
}

function matchesPath(scope: string, path: readonly string[]): boolean {
  const names = scope.split('.');
  return names.every((name, index) => name === path[path.length - names.length + index]);
}

/** Whether the trees are the same: kinds, names, literals and operators. */
function isEqual(a: ts.Node, b: ts.Node): boolean {
  if (a.kind !== b.kind) return false;
  const [left, right] = [getChildren(a), getChildren(b)];
  if (left.length === 0 && right.length === 0) return a.getText() === b.getText();
  if (getOperator(a) !== getOperator(b) || isConstant(a) !== isConstant(b)) return false;
  return (
    left.length === right.length && left.every((child, index) => isEqual(child, right[index] as ts.Node))
  );
}

function getChildren(node: ts.Node): readonly ts.Node[] {
  const children: ts.Node[] = [];
  ts.forEachChild(node, child => void children.push(child));
  return children;
}

/** `!`, `++` and the like are no nodes of their own. */
function getOperator(node: ts.Node): ts.SyntaxKind | undefined {
  return ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node) ? node.operator : undefined;
}

function isConstant(node: ts.Node): boolean {
  return ts.isVariableDeclarationList(node) && (node.flags & ts.NodeFlags.Const) !== 0;
}
