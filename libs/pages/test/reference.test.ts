import { stripTypeScriptTypes } from 'node:module';
import { Shell } from '@kontoport/pages';
import { Reference, SAMPLE_LANGUAGES } from '@kontoport/pages/reference';
import base from '@kontoport/proto/openapi/account-and-payment' with { type: 'json' };
import registration from '@kontoport/proto/openapi/registration' with { type: 'json' };
import token from '@kontoport/proto/openapi/token' with { type: 'json' };
import user from '@kontoport/proto/openapi/user' with { type: 'json' };

const MAX_BYTES = 300 * 1024;
const DOCUMENTS = { base, registration, token, user };
const shell = new Shell();

interface Named {
  name?: string;
  in?: string;
}
type Operations = Record<
  string,
  Record<string, { operationId: string; parameters?: Named[]; responses?: object }>
>;

describe.each(Object.entries(DOCUMENTS))('the reference of %s (§9.5)', (_address, document) => {
  const reference = new Reference(document);
  const htmlOf = (id: string): string => shell.render(reference.operation(id)!).html;

  it('has a page and Markdown of each operation, 300 KB at most, and lists it', () => {
    const operations = Object.values(document.paths as unknown as Operations).flatMap((path) =>
      Object.values(path),
    );
    const overview = shell.render(reference.overview()).html;
    const markdown = reference.markdown()!;
    const llms = reference.llms();
    expect(overview.length).toBeLessThan(MAX_BYTES);
    for (const { operationId } of operations) {
      expect(overview).toContain(`href="/documentation/${operationId}"`);
      expect(markdown).toContain(`(/documentation/${operationId}.md)`);
      expect(llms).toContain(`/documentation/${operationId}.md)`);
      expect(Buffer.byteLength(htmlOf(operationId))).toBeLessThan(MAX_BYTES);
      expect(Buffer.byteLength(reference.markdown(operationId)!)).toBeLessThan(MAX_BYTES);
    }
  });

  it('is rendered once: whoever asks again gets the same', () => {
    const [id] = reference.ids;
    expect(shell.render(reference.overview(' '))).toBe(shell.render(reference.overview()));
    expect(shell.render(reference.operation(id!)!)).toBe(shell.render(reference.operation(id!)!));
  });

  it('finds the operations that have the first eight words of a search', () => {
    const found = (search: string) => /status">(.*?)</.exec(reference.overview(search).body.text)?.[1];
    expect(found('a B c D e a b c nowhere')).toMatch(/^[1-9].* for “a B c D e a b c”$/);
    expect(found('a nowhere')).toBe('0 results for “a nowhere”');
  });

  it('shows every query and path parameter with an id to link to', () => {
    const parts = Object.values(document.paths as unknown as Operations)
      .flatMap((path) => Object.values(path))
      .flatMap(({ operationId, parameters = [] }) =>
        parameters
          .filter(({ name }) => name !== undefined)
          .map(({ name, in: place }) => ({ operationId, part: `id="${place}-${name}"` })),
      );
    expect(parts.filter(({ operationId, part }) => !htmlOf(operationId).includes(part))).toEqual([]);
  });

  it('describes every field, except in forms of pages', () => {
    const undescribed = reference.ids
      .filter((id) => !reference.markdown(id)!.includes('application/x-www-form-urlencoded'))
      .flatMap((id) =>
        [...reference.markdown(id)!.matchAll(/^- `[^`]+` \([^)]*\)$/gm)].map(([line]) => `${id} ${line}`),
      );
    expect(undescribed).toEqual([]);
  });

  it('has no id twice, and no link to a page or a part that does not exist', () => {
    for (const id of reference.ids) {
      const page = htmlOf(id);
      const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, each]) => each!);
      expect(ids).toHaveLength(new Set(ids).size);
      const pages = [...page.matchAll(/href="\/documentation\/([^"#.]+)/g)].map(([, each]) => each!);
      expect(reference.ids).toEqual(expect.arrayContaining(pages));
      const parts = [...page.matchAll(/href="#([^"]+)"/g)].map(([, each]) => each!);
      expect(ids).toEqual(expect.arrayContaining(parts));
    }
  });

  it('has samples in six languages of each operation, in TypeScript that can be parsed', () => {
    for (const id of reference.ids) {
      const markdown = reference.markdown(id)!;
      for (const { language } of SAMPLE_LANGUAGES) expect(markdown).toContain(`\n\n\`\`\`${language}\n`);
      const [, code] = /```ts\n([\s\S]*?)\n```/.exec(markdown)!;
      expect(() => stripTypeScriptTypes(code!)).not.toThrow();
    }
  });
});

describe('what a reference takes from its document (§9.5)', () => {
  const MARKUP = '<img src=x onerror=alert(1)>';
  const reference = new Reference(
    {
      info: { title: MARKUP, description: MARKUP },
      servers: [{ url: 'https://bank.test/{x}', variables: { x: { default: 'a"b' } } }],
      tags: [{ name: MARKUP, description: MARKUP }],
      paths: {
        '/things/{thingId}': {
          post: {
            operationId: 'thing',
            tags: [MARKUP],
            summary: MARKUP,
            description: `[${MARKUP}](/x"onclick="y) and [a link](javascript:alert(1)) and \`${MARKUP}\``,
            security: [{ certificate: [], oauth: ['PSP_AI'] }],
            parameters: [
              {
                in: 'query',
                name: MARKUP,
                description: MARKUP,
                schema: { type: 'integer', minimum: 1, maximum: 500, default: 100 },
              },
            ],
            requestBody: {
              content: {
                'application/json': {
                  example: { text: `'"\\\`$(touch x)${MARKUP}` },
                  schema: { $ref: '#/components/schemas/Tree' },
                },
              },
            },
            responses: {
              201: { description: 'Made.' },
              409: { description: 'Conflict.\n\n- `DUPLICATE_ID`: The id is taken.' },
            },
          },
        },
      },
      components: {
        schemas: {
          Tree: {
            type: 'object',
            required: ['text'],
            properties: {
              text: { type: 'string', maxLength: 20, description: 'The text.' },
              children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
              kind: { anyOf: [{ const: 'one' }, { type: 'null' }] },
            },
          },
        },
      },
    },
    { base: 'https://bank.test' },
  );
  const page = shell.render(reference.operation('thing')!).html;
  const markdown = reference.markdown('thing')!;

  it('is text: markup in any of it runs nowhere', () => {
    for (const rendered of [
      page,
      shell.render(reference.overview()).html,
      shell.render(reference.overview(MARKUP)).html,
    ]) {
      expect(rendered).not.toContain('<img');
      expect(rendered).not.toContain('onclick="');
      expect(rendered).not.toContain('href="javascript');
    }
  });

  it('lists fields with type, bounds and whether they are required, nested ones once', () => {
    expect(markdown).toContain('(integer; 1 to 500; default: `100`)');
    expect(markdown).toContain('- `text` (string; required; at most 20 characters): The text.');
    expect(markdown).toContain('- `children` (array of object)');
    expect(markdown).toContain('- `kind` ("one" or null)');
    expect(markdown).not.toContain('children[]');
  });

  it('names access and errors, with a link to the code', () => {
    expect(markdown).toContain('an access token with the scope `PSP_AI`');
    expect(page).toContain('<a href="/errors/DUPLICATE_ID"><code>DUPLICATE_ID</code></a>: The id is taken.');
  });

  it('is quoted in samples, so that no shell or language evaluates it', () => {
    expect(markdown).toContain(String.raw`--data '{
  "text": "'\''\"`);
    expect(markdown).toContain('"https://bank.test/things/$THING_ID"');
    const [, code] = /```ts\n([\s\S]*?)\n```/.exec(markdown)!;
    expect(() => stripTypeScriptTypes(code!)).not.toThrow();
  });
});
