// oxlint-disable-next-line typescript/triple-slash-reference -- only so do those who import this lib see the types
/// <reference path="./undici-parts.d.ts" />
// The parts of undici that are used, as its index puts them together: all of it, with its fetch, mocks and caches, takes 60 ms
// and 14 MB more in each process.
import request from 'undici/lib/api/api-request.js';
import buildConnector from 'undici/lib/core/connect.js';
import errors from 'undici/lib/core/errors.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';

Object.assign(Dispatcher.prototype, { request });

export { Agent, buildConnector, errors };
