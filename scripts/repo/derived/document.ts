import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTool, type ToolName } from '../openapi-tools.ts';

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly example?: unknown;
}

export interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: object }>> };
  readonly responses: Readonly<Record<string, { readonly content?: object; readonly headers?: object }>>;
  /** The variable of the address that serves it. */
  readonly address?: string;
}

/** An OpenAPI document, as far as generators of ours read it. */
export interface Document {
  readonly paths: Record<string, Readonly<Record<string, Operation>>>;
  readonly webhooks: object;
  readonly components: { readonly schemas: object };
}

/** Runs a generator over a document. @returns the text that it wrote */
export function generateFrom(
  document: Document,
  tool: ToolName,
  args: (from: string, to: string) => readonly string[],
): string {
  const folder = mkdtempSync(join(tmpdir(), 'kontoport-openapi-'));
  try {
    const [from, to] = [join(folder, 'openapi.json'), join(folder, 'generated')];
    const info = { title: 'Kontoport', version: '0' };
    writeFileSync(from, JSON.stringify({ openapi: '3.1.1', info, ...document }));
    const { status, stdout, stderr } = runTool(tool, args(from, to));
    if (status !== 0) throw new Error(`${tool}: ${stdout}${stderr}`);
    return readFileSync(to, 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}
