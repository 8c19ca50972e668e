/** An operation of the interface, in the clause that promises it. */
export interface Operation {
  /** `§4.3`. */
  clause: string;
  method: string;
  /** The path with parameters in braces: `/tpp/{clientId}`. */
  path: string;
  /** The path as its row has it: with `{payment-type}` where `path` has one of them. */
  written: string;
}

/** The parsed `docs/contract.md`. */
export interface Contract {
  /** Titles by number: `§4.3` → `Accounts and transactions, at {base_url}`. */
  clauses: ReadonlyMap<string, string>;
  /** The rows of its tables of operations; payment types are written out. */
  operations: readonly Operation[];
  /** Operations named anywhere else. */
  mentions: readonly Omit<Operation, 'written'>[];
}

const HEADING = /^#{2,4} (§(?:\d+(?:\.\d+)*|Sandbox)) (.+)$/;
const OPERATION = /`(GET|POST|PUT|PATCH|DELETE) (\/[^`\s]*)`/g;
const PAYMENT_TYPE = '{payment-type}';

/** Returns a key that is the same for every spelling of an operation: parameters by any name, `{id}` or `:id`. */
export function operationKey(operation: { method: string; path: string }): string {
  return `${operation.method} ${operation.path.replace(/\{[^}]*\}|:\w+/g, '{}')}`;
}

/** The anchor of a clause: `s4.3` for `§4.3`. */
export function anchorOf(clause: string): string {
  return clause === '§Sandbox' ? 'sandbox' : `s${clause.slice(1)}`;
}

/** Reads the contract: headings `### §4.3 Title`, and tables whose first column is `Operation`. */
export function readContract(text: string): Contract {
  const clauses = new Map<string, string>();
  const declared: Omit<Operation, 'written'>[] = [];
  const mentions: Omit<Operation, 'written'>[] = [];
  const paymentTypes: string[] = [];
  let clause = '';
  let column = '';
  for (const line of text.split('\n')) {
    const heading = HEADING.exec(line);
    if (heading) {
      clause = heading[1]!;
      clauses.set(clause, heading[2]!);
    }
    const cell = /^\| *([^|]*?) *\|/.exec(line)?.[1];
    if (cell === undefined) column = '';
    else if (column === '') column = cell;
    const isDeclaration = cell !== undefined && column === 'Operation';
    if (column === 'Payment type' && cell?.startsWith('`')) paymentTypes.push(cell.replaceAll('`', ''));
    for (const [i, match] of [...line.matchAll(OPERATION)].entries()) {
      const operation = { clause, method: match[1]!, path: match[2]! };
      if (isDeclaration && i === 0) declared.push(operation);
      else mentions.push(operation);
    }
  }
  const operations = declared.flatMap((operation) => {
    const { path: written } = operation;
    const paths = written.includes(PAYMENT_TYPE)
      ? paymentTypes.map((type) => written.replace(PAYMENT_TYPE, type))
      : [written];
    return paths.map((path) => ({ ...operation, path, written }));
  });
  return { clauses, operations, mentions };
}
