"""The viewer as a web application."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from emoharbor.eval.viewer import talks
from emoharbor.eval.viewer.compare_page import compare
from emoharbor.eval.viewer.desk import Desk, file_of, page
from emoharbor.eval.viewer.episode_page import episode, step
from emoharbor.eval.viewer.guard import Guard
from emoharbor.eval.viewer.library import Library
from emoharbor.eval.viewer.pages import environment
from emoharbor.eval.viewer.run_pages import about, board, dimensions, episodes, pulse, runs
from emoharbor.state.errors import RunFolderError, UserError

_FOR_GOOD = {"cache-control": "public, max-age=31536000, immutable"}
_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


def make_app(library: Library, token: str, port: int) -> Starlette:
    """Return the viewer of some runs.

    Args:
        library: the runs.
        token: what a browser has to know.
        port: where it is served on this machine.
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        for name in environment().list_templates():
            environment().get_template(name)
        library.warm_up()
        yield
        await app.state.talks.close()
        library.close()

    app = Starlette(
        routes=[
            Route("/", runs),
            Route("/static/{name}", _static),
            Route("/compare", compare),
            Route("/talk", talks.choose, methods=["GET"]),
            Route("/talk", talks.begin, methods=["POST"]),
            Route("/talk/{talk}", talks.show),
            Route("/talk/{talk}/say", talks.say, methods=["POST"]),
            Route("/r/{slug}", board),
            Route("/r/{slug}/dimensions", dimensions),
            Route("/r/{slug}/episodes", episodes),
            Route("/r/{slug}/about", about),
            Route("/r/{slug}/episode", episode),
            Route("/r/{slug}/step", step),
            Route("/r/{slug}/pulse", pulse),
            Route("/r/{slug}/fork", talks.fork, methods=["POST"]),
        ],
        middleware=[Middleware(Guard, token=token, port=port)],
        exception_handlers={UserError: _mistake, HTTPException: _no_page},
        lifespan=lifespan,
    )
    app.state.desk = Desk(library)
    app.state.talks = talks.Talks()
    return app


def _static(request: Request) -> Response:
    path = file_of(request.path_params["name"])
    if path is None:
        raise HTTPException(404)
    return FileResponse(path, media_type=_TYPES[path.suffix], headers=_FOR_GOOD)


def _mistake(request: Request, error: Exception) -> Response:
    status = 404 if isinstance(error, RunFolderError) else 400
    title = "Not here" if status == 404 else "That did not work"
    return page(request, "problem.html", title, [("runs", "/")], status, problem=str(error))


def _no_page(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    return page(request, "problem.html", "Not here", [("runs", "/")], status, problem="There is no such page.")
