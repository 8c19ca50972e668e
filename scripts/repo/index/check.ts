import { citationsOf } from './citations.ts';
import { type Operation, operationKey } from './contract.ts';
import { absentPages, CONTRACT_FILE, INDEX_FILE, type IndexedFile, type Repository } from './repository.ts';
import type { ServiceRoute } from './service-routes.ts';

/** What is wrong between contract, code, tests and the list of what is not built, each in one sentence. */
export function findFaults(repository: Repository): string[] {
  return [
    ...faultsOfCitations(repository),
    ...faultsOfContract(repository),
    ...repository.routes.flatMap((route) => faultsOfRoute(repository, route)),
    ...faultsOfNotYet(repository),
    ...faultsOfMissing(repository),
  ];
}

/** The clauses that a route serves, by its own word, or where it says nothing by the contract. */
export function clausesOf({ contract }: Repository, { route }: ServiceRoute): readonly string[] {
  if (route.clause !== undefined) return [route.clause].flat();
  return contract.operations
    .filter((each) => operationKey(each) === operationKey(route))
    .map((e) => e.clause);
}

function faultsOfCitations(repository: Repository): string[] {
  return repository.files.flatMap((file) => faultsOfText(repository, file.path, file));
}

/** Whatever a text cites is there. */
function faultsOfText(
  repository: Repository,
  name: string,
  file: Pick<IndexedFile, 'path' | 'text' | 'citations'>,
): string[] {
  return [
    ...file.citations
      .filter((cited) => !repository.contract.clauses.has(cited))
      .map((cited) => `${name} cites ${cited}, which ${CONTRACT_FILE} does not have`),
    ...absentPages(repository, file).map(
      (page) => `${name} cites ${page}, which the repository does not have`,
    ),
  ];
}

function faultsOfContract({ contract }: Repository): string[] {
  const declared = new Set(contract.operations.map(operationKey));
  const templates = new Set(['POST /payments/drafts/{payment-type}']);
  return contract.mentions
    .filter((mention) => !templates.has(mention) && !declared.has(keyOf(mention)))
    .map((mention) => `${CONTRACT_FILE} mentions ${mention}, which no table of operations has`);
}

function faultsOfRoute(repository: Repository, served: ServiceRoute): string[] {
  const { contract } = repository;
  const name = `${served.service}: ${served.route.method} ${served.route.path}`;
  const promised = contract.operations.filter((each) => operationKey(each) === operationKey(served.route));
  const clauses = clausesOf(repository, served);
  return [
    ...(served.file === undefined ? [`${name} is declared in no file of routes`] : []),
    ...(served.route.clause === undefined ? [`${name} has no clause`] : []),
    ...clauses
      .filter((clause) => !contract.clauses.has(clause))
      .map((clause) => `${name} has the clause ${clause}, which ${CONTRACT_FILE} does not have`),
    ...(promised.length === 0 ? [`${name} is no operation of ${CONTRACT_FILE}`] : []),
    ...promised
      .filter(({ clause }) => !clauses.includes(clause))
      .map(({ clause }) => `${name} stands in ${clause} of ${CONTRACT_FILE}, not in ${clauses.join(', ')}`),
  ];
}

function faultsOfNotYet(repository: Repository): string[] {
  const { contract, notYet, routes } = repository;
  const served = new Set(routes.map(({ route }) => operationKey(route)));
  return notYet.flatMap(({ clause, promise, operations = [] }) => [
    ...(contract.clauses.has(clause)
      ? []
      : [`"not yet" names ${clause}, which ${CONTRACT_FILE} does not have`]),
    ...operations
      .filter((name) => served.has(keyOf(name)))
      .map((name) => `"not yet" names ${name}, which has a route: take it out`),
    ...operations
      .filter((name) => !inClause(contract.operations, clause, name))
      .map((name) => `"not yet" names ${name}, which ${clause} of ${CONTRACT_FILE} does not have`),
    // It is printed in the index, and read by nobody else.
    ...faultsOfText(repository, '"not yet"', {
      path: INDEX_FILE,
      text: promise,
      citations: citationsOf(promise),
    }),
  ]);
}

function faultsOfMissing({ contract, notYet, routes }: Repository): string[] {
  const known = new Set([
    ...routes.map(({ route }) => operationKey(route)),
    ...notYet.flatMap(({ operations = [] }) => operations.map(keyOf)),
  ]);
  return contract.operations
    .filter((operation) => !known.has(operationKey(operation)))
    .map(({ clause, method, path }) => `${method} ${path} of ${clause} has no route and is not in "not yet"`);
}

function inClause(operations: readonly Operation[], clause: string, name: string): boolean {
  return operations.some((each) => each.clause === clause && operationKey(each) === keyOf(name));
}

function keyOf(name: string): string {
  const [method = '', path = ''] = name.split(' ');
  return operationKey({ method, path });
}
