import vm from 'node:vm';

type Compiling = Pick<typeof vm, 'compileFunction' | 'SourceTextModule'> & { kontoportKept?: true };

/** What the types of Node do not tell. */
type Module = vm.SourceTextModule & { createCachedData(): Buffer };
type CompiledFunction = ReturnType<typeof vm.compileFunction> & { cachedDataRejected?: boolean };

/**
 * What V8 has made of a source serves the next test file of the same worker: each has a world of its own, in which
 * hundreds of modules are compiled anew, and that is a third of what loading a service costs. V8 refuses what was made
 * under other flags, which a test may set: then it is made anew.
 */
export function keepCompiled(): void {
  const compiling: Compiling = vm;
  if (compiling.kontoportKept) return;
  compiling.kontoportKept = true;
  compiling.SourceTextModule = keepModules(vm.SourceTextModule);
  compiling.compileFunction = keepFunctions(vm.compileFunction);
}

// By the source itself, each time: what V8 compares is its length alone.

function keepModules(SourceTextModule: typeof vm.SourceTextModule): typeof vm.SourceTextModule {
  const kept = new Map<string, Buffer>();
  return new Proxy(SourceTextModule, {
    construct(target, given, newTarget) {
      const [code, options] = given as [string, vm.SourceTextModuleOptions?];
      const construct = (more: object): Module =>
        Reflect.construct(target, [code, { ...options, ...more }], newTarget) as Module;
      const cachedData = kept.get(code);
      try {
        if (cachedData !== undefined) return construct({ cachedData });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ERR_VM_MODULE_CACHED_DATA_REJECTED') throw error;
      }
      const module = construct({});
      kept.set(code, module.createCachedData());
      return module;
    },
  });
}

function keepFunctions(compileFunction: typeof vm.compileFunction): typeof vm.compileFunction {
  const keptByNames = new Map<string, Map<string, Buffer>>();
  return (code, params, options) => {
    const names = params?.join() ?? '';
    const kept = keptByNames.get(names) ?? new Map<string, Buffer>();
    keptByNames.set(names, kept);
    const cachedData = kept.get(code);
    const compiled: CompiledFunction = compileFunction(code, params, {
      ...options,
      ...(cachedData === undefined ? { produceCachedData: true } : { cachedData }),
    });
    if (compiled.cachedDataRejected === true) kept.delete(code);
    else if (cachedData === undefined && compiled.cachedData !== undefined)
      kept.set(code, compiled.cachedData);
    return compiled;
  };
}
