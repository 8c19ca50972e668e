import pg from 'pg';
import { summaryOf } from './traced-queries.ts';

/** What the driver has of a connection; its types tell less. */
type Connection = pg.Connection & {
  /** Texts by name, of what is being prepared. */
  submittedNamedStatements: Record<string, string>;
  sync(): void;
};

/** What the driver asks of a query; its types tell none of it. */
interface Query {
  name: string | undefined;
  text: string;
  callback(error: unknown, result?: pg.QueryResult): void;
  submit(connection: Connection): Error | null;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
  handleReadyForQuery(connection: Connection): void;
}

type Callback = (error: unknown, results?: pg.QueryResult[]) => void;

/**
 * Sends statements in one write, with one end for all of them: the database answers them in one, too, and after one that
 * fails it does none of the rest.
 * @returns the results, in the order of the statements
 */
export function together(
  client: pg.ClientBase,
  statements: readonly pg.QueryConfig[],
): Promise<pg.QueryResult[]> {
  return new Promise((resolve, reject) => {
    client.query(
      new Together(statements, (error, results) => (error ? reject(error as Error) : resolve(results!))),
    );
  });
}

/** One query for the driver, of its own class: beside others that are under way it takes no other. */
class Together extends pg.Query {
  /** Of the statement that is answered now: by them the driver notes what is prepared. */
  declare name: Query['name'];
  declare text: string;
  /** A trace puts its end before it. */
  declare callback: Callback;
  readonly #statements: readonly Query[];
  readonly #results: pg.QueryResult[] = [];
  #answered = 0;
  #fault: unknown;

  constructor(statements: readonly pg.QueryConfig[], callback: Callback) {
    super({ text: statements.map(({ text }) => text).join('; ') }, callback as never);
    this.#statements = statements.map((statement) => this.#part(statement));
  }

  /** For a trace. */
  get summary(): string {
    return this.#statements.map(summaryOf).join(' ');
  }

  #part(statement: pg.QueryConfig): Query {
    // Otherwise one that has neither a name nor values would be an end by itself.
    const part = new pg.Query({ ...statement, queryMode: 'extended' } as pg.QueryConfig) as unknown as Query;
    part.callback = (error, result) => {
      if (error) this.#fault ??= error;
      else this.#results.push(result!);
    };
    return part;
  }

  override submit = (given: pg.Connection): unknown => {
    const connection = given as Connection;
    const { stream, sync } = connection;
    stream.cork();
    connection.sync = () => {};
    try {
      for (const statement of this.#statements) {
        const refusal = statement.submit(connection);
        this.#fault ??= refusal;
      }
    } finally {
      connection.sync = sync;
      connection.sync();
      stream.uncork();
    }
    // What the database would answer to the others has nobody to take it.
    if (this.#fault) stream.destroy(this.#fault as Error);
    this.#turn();
    return this.#fault;
  };

  get #current(): Query {
    return this.#statements[this.#answered]!;
  }

  #turn(): void {
    ({ name: this.name, text: this.text } = this.#current);
  }

  handleRowDescription(message: unknown): void {
    this.#current.handleRowDescription(message);
  }

  handleDataRow(message: unknown): void {
    this.#current.handleDataRow(message);
  }

  handleCommandComplete(message: unknown, connection: Connection): void {
    this.#current.handleCommandComplete(message, connection);
    if (++this.#answered < this.#statements.length) this.#turn();
  }

  handleError(error: unknown, { submittedNamedStatements }: Connection): void {
    // The database has prepared none of them.
    for (const { name } of this.#statements.slice(this.#answered))
      if (name !== undefined) delete submittedNamedStatements[name];
    this.callback(error);
  }

  handleReadyForQuery(connection: Connection): void {
    for (const statement of this.#statements) statement.handleReadyForQuery(connection);
    this.callback(this.#fault, this.#results);
  }
}
