"""A GTK window that fills the screen. It prints a line for each movement of the pointer over it."""

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import Gtk  # noqa: E402


def activate(app):
    controller = Gtk.EventControllerMotion()
    controller.connect("motion", lambda *_: print("moved", flush=True))
    window = Gtk.ApplicationWindow(application=app, title="motion window")
    window.add_controller(controller)
    window.fullscreen()
    window.present()


app = Gtk.Application(application_id="org.pegboard.MotionWindow")
app.connect("activate", activate)
app.run([])
