import { operationKey } from './contract.ts';
import { absentPages, CONTRACT_FILE, type IndexedFile, type Repository } from './repository.ts';
import type { ServiceRoute } from './service-routes.ts';

/** Finds what does not fit between contract, code and tests: one sentence for each fault. */
export function findFaults(repository: Repository): string[] {
  const { contract, files, routes } = repository;
  const served = new Set(routes.map(({ route }) => operationKey(route)));
  const declared = new Set(contract.operations.map(operationKey));
  return [
    ...files.flatMap((file) => faultsOfFile(repository, file)),
    ...contract.mentions
      .filter(
        ({ method, path }) =>
          !path.includes('{payment-type}') && !declared.has(operationKey({ method, path })),
      )
      .map(
        ({ method, path }) => `${CONTRACT_FILE} mentions ${method} ${path}, which no table of operations has`,
      ),
    ...routes.flatMap((route) => faultsOfRoute(repository, route)),
    ...contract.operations
      .filter((operation) => !served.has(operationKey(operation)))
      .map(({ clause, method, path }) => `${method} ${path} of ${clause} has no route`),
  ];
}

function faultsOfFile(repository: Repository, file: IndexedFile): string[] {
  return [
    ...file.citations
      .filter((cited) => !repository.contract.clauses.has(cited))
      .map((cited) => `${file.path} cites ${cited}, which ${CONTRACT_FILE} does not have`),
    ...absentPages(repository, file).map(
      (page) => `${file.path} cites ${page}, which the repository does not have`,
    ),
  ];
}

function faultsOfRoute({ contract }: Repository, { service, route, file }: ServiceRoute): string[] {
  const name = `${service}: ${route.method} ${route.path}`;
  const promised = contract.operations.filter((each) => operationKey(each) === operationKey(route));
  const clauses = [route.clause ?? []].flat();
  return [
    ...(file === undefined ? [`${name} is declared in no file of routes`] : []),
    ...(route.clause === undefined ? [`${name} has no clause`] : []),
    ...clauses
      .filter((clause) => !contract.clauses.has(clause))
      .map((clause) => `${name} has the clause ${clause}, which ${CONTRACT_FILE} does not have`),
    ...(promised.length === 0 ? [`${name} is no operation of ${CONTRACT_FILE}`] : []),
    ...promised
      .filter(({ clause }) => clauses.length > 0 && !clauses.includes(clause))
      .map(({ clause }) => `${name} is in ${clause} of ${CONTRACT_FILE}, not in ${clauses.join(', ')}`),
  ];
}
