#!/usr/bin/env node
import { launch } from '../../repo/launch.mjs';

await launch(['../programs/kontoport/src/main.ts', ...process.argv.slice(2)]);
