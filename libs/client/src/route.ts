interface Route {
  readonly address: 'baseUrl' | 'registrationUrl' | 'authUrl';
  readonly needsToken: boolean;
  /** The endpoints of OAuth 2.0 read forms and the credentials of the client. */
  readonly isForm: boolean;
}

const PUBLIC = /^\/(|tpp|\.well-known\/.*|errors.*|openapi.*)$/;

/** Where a path of the OpenAPI documents is served, and the proof that it requires. */
export function routeOf(path: string): Route {
  const isForm = path.startsWith('/oauth2/');
  return {
    address:
      isForm || path.startsWith('/.well-known/')
        ? 'authUrl'
        : /^\/(tpp|openapi\/)/.test(path)
          ? 'registrationUrl'
          : 'baseUrl',
    needsToken: !isForm && !PUBLIC.test(path),
    isForm,
  };
}
